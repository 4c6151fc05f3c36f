import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** One attack on the server at `url`. It resolves with the status of the answer, or with a word for what happened instead. */
type Attack = (url: string, collection: string) => Promise<string>

const HEAD = 'Host: x\r\nContent-Type: application/json\r\n'
const BUDGET = 8_000

/** Requests that no honest client sends, each with the collection of hostile texts. */
const ATTACKS: Record<string, Attack> = {
  'stalled upload': url => rawBytes(url, [`POST /v1/context HTTP/1.1\r\n${HEAD}Content-Length: 100\r\n\r\n{`], 2_000),
  'chunks of one byte': url => {
    const chunks = '1\r\n \r\n'.repeat(200_000)
    return rawBytes(
      url,
      [`POST /v1/context HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunks, '0\r\n\r\n'],
      5_000,
    )
  },
  'body of 20 MB': url => status(url, '/v1/context', Buffer.alloc(20_000_000, ' ')),
  'query of 100 kB': (url, collection) => context(url, { collection, query: 'x'.repeat(100_000) }),
  'hostile texts in Markdown': (url, collection) => context(url, { collection, format: 'markdown' }),
  'hostile texts in XML': (url, collection) =>
    context(url, { collection, format: 'xml', query: 'bell '.repeat(1_600) }),
  'hostile texts in JSON': (url, collection) => context(url, { collection, format: 'json', order: 'edges' }),
  'deadline of 1 ms': (url, collection) => context(url, { collection, deadline_ms: 1 }),
  'client that leaves': (url, collection) => context(url, { collection }, AbortSignal.timeout(20)).catch(() => 'left'),
  'nested filter': (url, collection) => {
    const filter = `${'{"must":['.repeat(5_000)}${']}'.repeat(5_000)}`
    return status(url, '/v1/context', `{"query":"bell","collection":"${collection}","filter":${filter}}`)
  },
  'gzip bomb': (url, collection) =>
    status(url, `/collections/${collection}/points/query`, gzipSync(Buffer.alloc(50_000_000, ' ')), {
      'content-encoding': 'gzip',
    }),
  'broken UTF-8': url => status(url, '/v1/context', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
  'search of 10,000 prefetches': (url, collection) => {
    const prefetch = Array.from({ length: 10_000 }, () => ({ query: [0, 0, 0, 1], using: 'dense' }))
    const body = JSON.stringify({ prefetch, query: { fusion: 'rrf' }, limit: 10 })
    return status(url, `/collections/${collection}/points/query`, body)
  },
}

/** Runs all attacks in turn, in a loop for each client, and counts what they were answered. */
export async function runHostileLoad(
  url: string,
  collection: string,
  clients: number,
  signal: AbortSignal,
): Promise<Map<string, Map<string, number>>> {
  const answers = new Map(Object.keys(ATTACKS).map(name => [name, new Map<string, number>()]))
  const attacks = Object.entries(ATTACKS)
  async function client(first: number): Promise<void> {
    for (let turn = first; !signal.aborted; turn++) {
      const [name, attack] = attacks[turn % attacks.length] ?? ['', async () => '']
      const answer = await attack(url, collection).catch((error: Error) => `failed: ${error.cause ?? error.message}`)
      const counts = answers.get(name)
      counts?.set(answer, (counts.get(answer) ?? 0) + 1)
      await wait(50)
    }
  }
  // The clients begin at different attacks.
  await Promise.all(Array.from({ length: clients }, (_, at) => client(at * 3)))
  return answers
}

function context(url: string, request: object, signal?: AbortSignal): Promise<string> {
  const body = JSON.stringify({ query: 'bell rope harbour', budget_tokens: BUDGET, ...request })
  return status(url, '/v1/context', body, {}, signal)
}

async function status(
  url: string,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<string> {
  const sent = { 'content-type': 'application/json', ...headers }
  const response = await fetch(url + path, { method: 'POST', body, headers: sent, signal })
  await response.arrayBuffer()
  return String(response.status)
}

/** Sends bytes and waits for an answer, at most so long. */
function rawBytes(url: string, parts: readonly string[], longestMs: number): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part)
    })
    const end = (answer: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, longestMs, 'no answer yet')
    socket.once('data', data => end(String(data).slice(9, 12)))
    socket.once('error', () => end('reset'))
  })
}
