import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The chats of two tenants, for dashboards to show something: packed contexts, and searches as a client of Qdrant sends them.
 * Runs until SIGTERM, and writes a line with counts every ten seconds. A refused or failed request is counted and does not end it.
 */
const {
  STOWAGE = 'http://127.0.0.1:6433',
  REQUESTS_PER_SECOND = '4',
  QUESTIONS = 'goldens/isharoth/queries.jsonl',
} = process.env
const COLLECTION = 'isharoth'
const TENANTS = { acme: 'demo-key-of-acme', beta: 'demo-key-of-beta' }
const SESSIONS = 40
const REPORT_MS = 10_000

const questions = (await readFile(QUESTIONS, 'utf8'))
  .trim()
  .split('\n')
  .map(line => JSON.parse(line).query)
const counts = new Map()
let stopped = false
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    stopped = true
  })

await Promise.all(Object.entries(TENANTS).map(([tenant, key]) => chat(tenant, key)))

async function chat(tenant, key) {
  const pauseMs = (1_000 * Object.keys(TENANTS).length) / Number(REQUESTS_PER_SECOND)
  let vectors = []
  let reported = performance.now()
  for (let turn = 0; !stopped; turn++) {
    const query = questions[turn % questions.length]
    const session = `${tenant}-${turn % SESSIONS}`
    // Query vectors come from the client on Qdrant's paths. This one has no model: it takes vectors of stored chunks.
    if (vectors.length === 0) vectors = await someVectors(key)
    const vector = vectors[turn % vectors.length]
    if (turn % 2 === 0 || vector === undefined) {
      await ask(tenant, key, '/v1/context', {
        query,
        collection: COLLECTION,
        budget_tokens: 1_000,
        session_id: session,
      })
    } else {
      const search = { query: vector, using: 'dense', limit: 10, with_payload: true }
      const headers = { 'x-stowage-query': encodeURIComponent(query), 'x-stowage-session': session }
      await ask(tenant, key, `/collections/${COLLECTION}/points/query`, search, headers)
    }
    if (performance.now() - reported > REPORT_MS) {
      reported = performance.now()
      console.log(
        `${tenant}: ${[...(counts.get(tenant) ?? [])].map(([what, count]) => `${count} × ${what}`).join(', ')}`,
      )
    }
    await sleep(pauseMs)
  }
}

async function someVectors(key) {
  const body = { limit: 50, with_vector: ['dense'], with_payload: false }
  const response = await send(key, `/collections/${COLLECTION}/points/scroll`, body).catch(() => null)
  if (!response?.ok) return []
  const { result } = await response.json()
  return result.points.flatMap(({ vector }) => (vector?.dense ? [vector.dense] : []))
}

async function ask(tenant, key, path, body, headers = {}) {
  let outcome
  try {
    const response = await send(key, path, body, headers)
    await response.arrayBuffer()
    outcome = String(response.status)
  } catch (error) {
    outcome = error instanceof Error ? error.message : String(error)
  }
  const own = counts.get(tenant) ?? new Map()
  counts.set(tenant, own.set(outcome, (own.get(outcome) ?? 0) + 1))
}

function send(key, path, body, headers = {}) {
  return fetch(STOWAGE + path, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
}
