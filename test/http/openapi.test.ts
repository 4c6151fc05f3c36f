import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/core/vocabulary.ts'
import { OWN_ROUTES } from '../../src/http/openapi.ts'
import type { Passthrough } from '../../src/http/passthrough/passthrough.ts'
import { uiRoutes } from '../../src/http/ui/routes.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { planSchema } from '../../src/pipeline/plan/plan.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { createStage, silentReporter } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

const passed: Passthrough = (_request, response) => void response.writeHead(418).end('passed')

async function serveAll(): Promise<string> {
  const answer = contextAnswer()
  const traces = { record() {}, find: () => sampleTrace(), list: () => [], close: async () => {} }
  const health = { ready: async () => ({ ready: true, checks: [] }) }
  const experiments = { list: async () => [], outcomesOf: () => [], reset: () => false }
  const packContext = async () => ({ ...answer, trace: sampleTrace() })
  const readPage = async () => ({ script: '', styles: '', licences: [] })
  const ui = uiRoutes({
    packContext,
    packTopK: () => packContext,
    readPassages: async () => [],
    traces,
    readPage,
    reporter: silentReporter,
  })
  return (await stage.serve({ packContext, ui, traces, experiments, health, passthrough: passed })).url
}

describe('the routes of stowage', () => {
  it.each(Object.keys(OWN_ROUTES))('%s is answered, not passed through', async route => {
    const [method = '', path = ''] = route.split(' ')
    const question = path.endsWith('/passages') ? { points: [] } : { query: 'Who?', collection: 'c' }
    const body = method === 'POST' ? JSON.stringify(question) : null
    const response = await fetch((await serveAll()) + path.replace(/\{\w+\}/, 'trace-1'), { method, body })
    expect(response.status).toBe(200)
  })

  it('are all in a valid OpenAPI description, with every error code', async () => {
    const description = JSON.parse(await (await fetch(`${await serveAll()}/v1/openapi.json`)).text())
    expect(await new Validator().validate(structuredClone(description))).toMatchObject({ valid: true })
    const described = Object.entries<object>(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    )
    expect(described.sort()).toEqual(Object.keys(OWN_ROUTES).sort())
    const { code } = description.components.schemas.Error.properties.error.properties
    expect(code.oneOf.map((one: { const: string }) => one.const)).toEqual(Object.keys(ERRORS))
  })

  it('publish a JSON Schema that has every value of a plan', async () => {
    const schema = JSON.parse(await (await fetch(`${await serveAll()}/v1/schema/plan.json`)).text())
    expect(Object.keys(schema.properties)).toEqual(Object.keys(planSchema.shape))
    expect(schema.properties.rerank.required).toEqual(Object.keys(NAMED_PLANS.measured.rerank))
    expect(schema.properties.rerank.properties.blend).toMatchObject({
      minimum: 0,
      maximum: 1,
      variable: 'RERANK_BLEND',
    })
  })
})
