import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { send } from '../../support/send.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'

/** Who owns points of the shared collection, and a collection alone. Every text, title and id of a document holds the owner. */
const OWNERS = ['oak', 'elm', 'ash']
const NAMES = ['first', 'second', 'third']

let engine: EmbeddedServer
let stowage: Stowage
let file: Awaited<ReturnType<typeof openTenantsFile>>

beforeAll(async () => {
  engine = await startEmbeddedServer()
  for (const collection of ['docs', ...OWNERS.map(owner => `${owner}-alone`)]) {
    await send(engine.url, 'PUT', `/collections/${collection}`, { vectors: { size: 2, distance: 'Dot' } })
    const owners = OWNERS.filter(owner => collection === 'docs' || collection.startsWith(owner))
    const points = owners.flatMap(owner =>
      [0, 1, 2].map(at => ({
        id: OWNERS.indexOf(owner) * 10 + at,
        vector: [1, at],
        payload: {
          tenant: owner,
          doc_id: `${owner}-book`,
          text: `${owner} says of keels, part ${at}`,
          order_index: at,
        },
      })),
    )
    await send(engine.url, 'PUT', `/collections/${collection}/points?wait=true`, { points })
  }
  file = await openTenantsFile(fileOf(OWNERS))
  const on = { CACHE_TTL_MS: '60000', UI: 'on', MCP: 'on' }
  stowage = await openStowage({ QDRANT_URL: engine.url, TENANTS_FILE: file.path, ...on })
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
  await file.remove()
})

/** The tenant of each name has what the owner at its place has: in the shared collection, and for another tenant in the one alone. */
function fileOf(owners: readonly string[]): object {
  const shared = NAMES.map((name, at) => [name, { collections: ['docs'], value: owners[at] }])
  const alone = NAMES.map((name, at) => [
    `${name}-alone`,
    { collections: [`${owners[at]}-alone`], whole_collections: true },
  ])
  return declareTenants(Object.fromEntries([...shared, ...alone]))
}

/** All that a tenant can see without asking for points. */
async function keptOf(key: string, traceIds: readonly string[]): Promise<string> {
  const listed = await stowage.send('GET', '/v1/traces?limit=500', undefined, { 'api-key': key })
  const found = traceIds.map(id => stowage.send('GET', `/v1/traces/${id}`, undefined, { 'api-key': key }))
  const explained = traceIds.map(trace_id => {
    const call = { name: 'explain_trace', arguments: { trace_id } }
    const accept = { accept: 'application/json, text/event-stream', 'api-key': key }
    return stowage.send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, accept)
  })
  return (await Promise.all([listed, ...found, ...explained])).map(({ text }) => text).join('\n')
}

it('a name that gets the points of somebody else sees nothing of what it had before', async () => {
  const change = fc.shuffledSubarray(OWNERS, { minLength: OWNERS.length })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 4 }), async changes => {
      const traceIds: string[] = []
      for (const owners of changes) {
        await file.replace(fileOf(owners))
        await stowage.reloadTenants()
        for (const [at, name] of NAMES.entries()) {
          const owner = owners[at] ?? ''
          const others = new RegExp(OWNERS.filter(other => other !== owner).join('|'), 'u')
          for (const [key, collection] of [
            [name, 'docs'],
            [`${name}-alone`, `${owner}-alone`],
          ] as const) {
            const question = { query: `keels of ${owner}`, collection, vector: [1, 1], session_id: 'one' }
            const headers = { 'api-key': key, 'x-stowage-query': question.query }
            const asked = await stowage.ask(question, headers)
            expect(asked.json.context).toContain(owner)
            const path = `/collections/${collection}/points/query`
            const searched = await stowage.send('POST', path, { query: [1, 1], with_payload: true }, headers)
            traceIds.push(asked.json.trace_id, searched.headers.get('x-stowage-trace-id') ?? '')
            const seen = `${asked.text}\n${searched.text}\n${await keptOf(key, traceIds)}`
            expect(seen).not.toMatch(others)
          }
        }
      }
    }),
    { numRuns: 5 },
  )
}, 120_000)
