import { afterEach, expect, it } from 'vitest'
import { keyHash } from '../../../src/tenants/keys.ts'
import { type Recorded, type Reply, startRecordingServer } from '../../support/recording-server.ts'
import { openStowage } from '../../support/stowage.ts'
import { openTenantsFile } from '../../support/tenants-file.ts'
import { MANY_REQUESTS_MS } from '../../support/timeouts.ts'

const REQUESTS = 1_000
const RELOADS = 50
/** Requests in flight at a time. */
const CLIENTS = 8

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Everything that a tenant has, from one version of the file. Its key is the same in all of them; a second key is of one only. */
function fileOf(version: number): object {
  const keys = [{ sha256: keyHash('steady') }, { sha256: keyHash(`key-${version}`) }]
  const collections = ['steady', `only-${version}`]
  return { tenants: { t: { keys, collections, value: `value-${version}`, upstream_key: `upstream-${version}` } } }
}

const BROKEN = [
  '{',
  '',
  '{"tenants":{"t":{"keys":[{"sha256":"x"}],"collections":["*"],"field":"other"}}}',
  'tenants: {}',
]

/** A Qdrant with one point in every collection. */
function answer({ method, path }: Recorded): Reply {
  const points = [
    { id: 1, version: 0, score: 1, payload: { text: 'A passage about keels.', doc_id: 'd', order_index: 0 } },
  ]
  const config = { params: { vectors: { size: 2, distance: 'Dot' } } }
  const result =
    method === 'GET'
      ? { status: 'green', points_count: 1, config, payload_schema: {} }
      : path.endsWith('/batch')
        ? [{ points }]
        : { points }
  return { body: JSON.stringify({ result, status: 'ok', time: 0 }), headers: { 'content-type': 'application/json' } }
}

/** Lets a few requests at a time wait in their middle for the next change of the file. */
function createStraddling() {
  let waiting: (() => void)[] = []
  let ended = false
  return {
    wait: async () => {
      if (ended || waiting.length >= CLIENTS / 2) return
      await new Promise<void>(resolve => waiting.push(resolve))
    },
    release: (last: boolean) => {
      ended = last
      for (const resume of waiting) resume()
      waiting = []
    },
  }
}

/** Sends a body in two parts, with time for `between`. */
async function post(url: string, key: string, body: object, between: () => Promise<void>): Promise<number> {
  const json = JSON.stringify(body)
  const parts = async function* () {
    yield Buffer.from(json.slice(0, 5))
    await between()
    yield Buffer.from(json.slice(5))
  }
  const request = { method: 'POST', headers: { 'api-key': key }, body: parts(), duplex: 'half' }
  const response = await fetch(url, request as unknown as RequestInit)
  await response.text()
  return response.status
}

const title = `of ${REQUESTS} requests during ${RELOADS} changes of the file, none sees two versions of it`
it(title, { timeout: MANY_REQUESTS_MS }, async () => {
  const straddling = createStraddling()
  let asked = 0
  const qdrant = await startRecordingServer(async request => {
    if (++asked % 7 === 0) await straddling.wait()
    return answer(request)
  })
  const file = await openTenantsFile(fileOf(0))
  const stowage = await openStowage({ QDRANT_URL: qdrant.url, TENANTS_FILE: file.path })
  closers.push(file.remove, qdrant.close, stowage.close)

  let version = 0
  let changes = 0
  let sent = 0
  const statuses = new Map<number, number>()
  const change = async () => {
    changes++
    const isBroken = changes % 5 === 0
    if (!isBroken) version = changes
    await file.replace(isBroken ? (BROKEN[changes % BROKEN.length] ?? '') : fileOf(changes))
    await stowage.reloadTenants()
    straddling.release(changes === RELOADS)
  }
  const ask = async (at: number) => {
    const now = version
    // The steady key may find any version; the key of one version finds that one, or is unknown. The filter tells which it is.
    const isSteady = at % 2 === 0
    const filter = isSteady ? undefined : { must_not: [{ key: 'other', match: { value: `value-${now}` } }] }
    const collection = at % 3 === 0 ? `only-${now}` : 'steady'
    const body = { query: `request ${at}`, collection, vector: [1, 0], filter }
    const between = at % 3 === 1 ? straddling.wait : async () => {}
    const status = await post(`${stowage.url}/v1/context`, isSteady ? 'steady' : `key-${now}`, body, between)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  /** While one client changes the file, the others go on. */
  const client = async () => {
    while (sent < REQUESTS) {
      const at = sent++
      if (at % Math.floor(REQUESTS / RELOADS) === 0) await change()
      await ask(at)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  expect(changes).toBe(RELOADS)

  const versionsOf = ({ path, headers, body }: Recorded): Set<string> => {
    const seen = [String(headers['api-key']), /only-\d+/.exec(path)?.[0], ...(body.match(/value-\d+/g) ?? [])]
    return new Set(seen.flatMap(text => /\d+/.exec(text ?? '') ?? []))
  }
  expect(qdrant.requests.filter(request => versionsOf(request).size !== 1)).toEqual([])
  expect(qdrant.requests.filter(({ method, body }) => method === 'POST' && !/value-\d+/.test(body))).toEqual([])
  expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(REQUESTS)
  // 401: a key of the version before. 403: a collection of another version.
  expect([...statuses.keys()].filter(status => ![200, 401, 403].includes(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2)
  const used = new Set(qdrant.requests.flatMap(request => [...versionsOf(request)]))
  expect(used.size).toBeGreaterThan(RELOADS / 2)
})
