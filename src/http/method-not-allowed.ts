import type { Express } from 'express'
import { StowageError } from '../core/errors.ts'
import { OWN_ROUTES } from './openapi.ts'

/** Answers other methods than the declared ones under `/v1/` with 405. Other own paths are Qdrant's, too, which answers those itself. */
export function refuseOtherMethods(app: Express): void {
  const methods = new Map<string, string[]>()
  for (const route of Object.keys(OWN_ROUTES).filter(route => route.includes(' /v1/'))) {
    const [method = '', path = ''] = route.split(' ')
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])])
  }
  for (const [path, allowed] of methods)
    app.all(path.replace(/\{(\w+)\}/gu, ':$1'), (_request, response) => {
      response.setHeader('allow', allowed.join(', '))
      throw new StowageError('method_not_allowed', `${path} accepts ${allowed.join(' and ')} only`)
    })
}
