import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/core/vocabulary.ts'
import { EXAMPLES } from '../../src/http/description/examples.ts'
import { OPERATIONS } from '../../src/http/description/operations.ts'
import { OWN_ROUTES } from '../../src/http/description/own-routes.ts'
import { SEARCH_ROUTES } from '../../src/http/description/search-routes.ts'
import { openApi } from '../../src/http/openapi.ts'
import type { Passthrough } from '../../src/http/passthrough/passthrough.ts'
import { uiRoutes } from '../../src/http/ui/routes.ts'
import { contextRequestSchema, contextResponseSchema } from '../../src/pipeline/context-request.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { planSchema } from '../../src/pipeline/plan/plan.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { createStage, silentReporter } from '../support/stage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const stage = createStage()
afterEach(() => stage.close())

const passed: Passthrough = (_request, response) => void response.writeHead(418).end('passed')

async function serveAll(): Promise<string> {
  const answer = contextAnswer()
  const findTrace = async () => sampleTrace()
  const health = { ready: async () => ({ ready: true, checks: [] }) }
  const experiments = { list: async () => [], names: () => [], outcomesOf: () => [], reset: () => false }
  const packContext = async () => ({ ...answer, trace: sampleTrace() })
  const readPage = async () => ({ script: '', styles: '', licences: [] })
  const ui = uiRoutes({
    packContext,
    packTopK: () => packContext,
    readPassages: async () => [],
    listTraces: async () => [],
    readPage,
    reporter: silentReporter,
  })
  return (await stage.serve({ packContext, ui, findTrace, experiments, health, passthrough: passed })).url
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
    const improved = Object.keys(SEARCH_ROUTES).map(path => `POST ${path}`)
    expect(described.sort()).toEqual([...Object.keys(OWN_ROUTES), ...improved].sort())
    const { code } = description.components.schemas.Error.properties.error.properties
    expect(code.oneOf.map((one: { const: string }) => one.const)).toEqual(Object.keys(ERRORS))
  })

  it('are described without a fault that a linter finds, examples included, with and without tenants', async () => {
    const folder = temporaryFolder('stowage-openapi')
    const files = [true, false].map(needsKey => ({ needsKey, file: join(folder, `${needsKey}.json`) }))
    for (const { needsKey, file } of files) await writeFile(file, JSON.stringify(openApi({ version: '0', needsKey })))
    const linter = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
    const config = fileURLToPath(new URL('support/redocly.yaml', import.meta.url))
    const line = [linter, 'lint', ...files.map(({ file }) => file), '--config', config]
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const linted = promisify(execFile)(process.execPath, line, { env: { ...process.env, ...quiet } })
    const problems = await linted.then(() => '').catch(({ stdout, stderr }) => `${stdout}${stderr}`)
    expect(problems).toBe('')
  })

  it('have examples that stowage itself accepts', () => {
    for (const example of Object.values(EXAMPLES.ContextRequest ?? {})) contextRequestSchema.parse(example)
    for (const example of Object.values(EXAMPLES.ContextResponse ?? {})) contextResponseSchema.strict().parse(example)
  })

  it('have an operation id of their own each, and every code of an error somewhere', () => {
    const operations = Object.values(OPERATIONS)
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    // 405 is what other methods get.
    const codes = new Set([...operations.flatMap(({ errors }) => errors), 'method_not_allowed'])
    expect([...codes].sort()).toEqual(Object.keys(ERRORS).sort())
  })

  it('refer to schemas by name, and to none that is missing', () => {
    const text = JSON.stringify(openApi({ version: '0', needsKey: true }))
    const { components } = JSON.parse(text)
    const named = [...text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/gu)].map(([, kind, name]) => [kind, name])
    for (const [kind = '', name = ''] of named) expect(components[kind]).toHaveProperty([name])
    expect(Object.keys(components.schemas).filter(name => !named.some(([, used]) => used === name))).toEqual([])
  })

  it.each(Object.keys(OWN_ROUTES).filter(route => route.includes(' /v1/')))('%s refuses other methods', async route => {
    const [method = '', path = ''] = route.split(' ')
    const url = (await serveAll()) + path.replace(/\{\w+\}/, 'x')
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter(one => one !== method)) {
      const response = await fetch(url, { method: other })
      expect([other, response.status]).toEqual([other, 405])
      expect(response.headers.get('allow')).toBe(method === 'GET' ? 'GET, HEAD' : method)
      expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
    }
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
