import { type RequestHandler, type Response, Router } from 'express'
import type { KnownKeys } from '../../tenants/tenant.ts'
import { apiKeyOf } from '../caller.ts'

/**
 * Lets the keys of operators pass, and admits all others as tenants.
 * @param keys null without tenants
 */
export function admitOperators(keys: KnownKeys | null, admitTenant: readonly RequestHandler[]): RequestHandler {
  const tenants = Router()
  for (const step of admitTenant) tenants.use(step)
  return (request, response, next) => {
    response.locals.isOperator = keys?.isOperator(apiKeyOf(request)) ?? false
    if (isOperatorOf(response)) next()
    else tenants(request, response, next)
  }
}

/** Whether `admitOperators` found the key of an operator; false without tenants. */
export function isOperatorOf(response: Response): boolean {
  return response.locals.isOperator === true
}
