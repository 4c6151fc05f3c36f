import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { keyHash } from '../../../src/tenants/keys.ts'
import { chunk, fill } from '../../support/points.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'
import { runToEnd } from '../support/process.ts'
import { describeWith } from '../support/programs.ts'
import { pythonProgram } from '../support/python.ts'
import { openFolder, type StowageProcess, startStowage } from '../support/stowage.ts'

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
/** Its own command stands in a script that names the folder in which the environment was made. */
const COMMAND = 'import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())'
const EXPERIMENT = 'stowage.experiment.size'

// biome-ignore lint/suspicious/noExplicitAny: a description is a deep document without a type
type Document = Record<string, any>

const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** Two collections, an experiment that every request is part of, and a few requests of it. */
async function startFilled(environment: Record<string, string>, key: Record<string, string>): Promise<StowageProcess> {
  const variants = ['control', 'fewer'].map(name => ({ name, weight: 500, stickiness: 'sessionId' }))
  const parameters = { rollout: '100', stickiness: 'sessionId', groupId: EXPERIMENT }
  const strategies = [{ name: 'flexibleRollout', parameters, constraints: [], variants }]
  const features = [{ name: EXPERIMENT, type: 'experiment', enabled: true, strategies }]
  const folder = await openFolder({ 'flags.json': JSON.stringify({ version: 2, features }) })
  opened.push(folder.remove)
  const engine = await startStowage()
  opened.push(engine.stop)
  const points = ['The north berth takes two barges.', 'Tariffs are paid in marks.'].map((text, id) =>
    chunk(id + 1, text, { tenant: 'acme' }),
  )
  for (const name of ['harbour', 'tariffs']) await fill(engine.url, name, points)
  const stowage = await startStowage({ QDRANT_URL: engine.url, FLAGS_FILE: folder.at('flags.json'), ...environment })
  opened.push(stowage.stop)
  for (const session_id of ['a', 'b', 'c', 'd'])
    await stowage.send('POST', '/v1/context', { query: 'berth', collection: 'harbour', session_id }, key)
  return stowage
}

const ALWAYS =
  '--checks all --exclude-tag search --phases examples,coverage,fuzzing --max-examples 60 --request-timeout 30 --seed 1 --workers 1 --continue-on-failure --no-color'
/** These paths are Qdrant's, too, which answers their other methods. */
const SHARED = '--exclude-path-regex ^/v1/ --exclude-checks unsupported_method'
const OWN = '--include-path-regex ^/v1/'
/** Whether a filter is right is for Qdrant to say. */
const ANY_FILTER = '--exclude-checks positive_data_acceptance'

/** Runs schemathesis over stowage's own routes. @returns the number of its requests. Rejects with its report when a check fails. */
async function check(stowage: StowageProcess, description: string, ...more: string[]): Promise<number> {
  const folder = await openFolder()
  opened.push(folder.remove)
  const command = ['-c', COMMAND, '--config-file', CONFIG, 'run', description, '--url', stowage.url]
  const output = await runToEnd({
    program: pythonProgram(),
    line: [...command, ...[ALWAYS, ...more].flatMap(line => line.split(' '))],
    environment: { PATH: process.env.PATH ?? '', PYTHONUTF8: '1', HOME: folder.path },
    cwd: folder.path,
  })
  return Number(/(\d+) generated/u.exec(output)?.[1])
}

describeWith('python')('the description, read by schemathesis', () => {
  test('holds for all answers to right and to wrong requests', async () => {
    const stowage = await startFilled({}, {})
    const description = `${stowage.url}/v1/openapi.json`
    expect(await check(stowage, description, OWN, ANY_FILTER)).toBeGreaterThan(400)
    expect(await check(stowage, description, SHARED)).toBeGreaterThan(0)
  })

  test('holds where requests reach what is there, and every request that fits it is accepted', async () => {
    const stowage = await startFilled({}, {})
    const { json } = await stowage.send<Document>('GET', '/v1/openapi.json')
    const folder = await openFolder({ 'narrow.json': JSON.stringify(narrowed(json)) })
    opened.push(folder.remove)
    expect(await check(stowage, folder.at('narrow.json'), OWN)).toBeGreaterThan(400)
  })

  test('holds for a tenant, for an operator, and for who has no key', async () => {
    const file = await openTenantsFile({
      operators: [{ sha256: keyHash('operator') }],
      ...declareTenants({ acme: {} }),
    })
    opened.push(file.remove)
    const stowage = await startFilled({ TENANTS_FILE: file.path }, { 'api-key': 'acme' })
    const description = `${stowage.url}/v1/openapi.json`
    for (const key of ['acme', 'operator'])
      expect(await check(stowage, description, OWN, ANY_FILTER, `--header api-key:${key}`)).toBeGreaterThan(400)
  })
})

/** The same description with names that are there, and without what Qdrant or the clock decides about: a part of what is accepted. */
function narrowed(description: Document): Document {
  const { ContextRequest } = description.components.schemas
  const { filter: _filter, deadline_ms: _deadline, project: _project, ...properties } = ContextRequest.properties
  const names = { type: 'string', enum: ['harbour', 'tariffs'] }
  const collection = { anyOf: [names, { type: 'array', items: names, minItems: 1, maxItems: 16 }] }
  ContextRequest.properties = { ...properties, collection }
  ContextRequest.oneOf = [{ required: ['collection'] }]
  const { paths } = description
  paths['/v1/experiments/{name}/outcomes'].get.parameters[0].schema.enum = ['size']
  // It would forget the outcomes.
  delete paths['/v1/experiments/{name}/reset']
  return description
}
