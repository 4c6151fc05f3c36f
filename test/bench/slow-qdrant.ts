import { createServer, type Server } from 'node:http'
import { seededRandom } from '../../src/statistics/seeded-random.ts'

/** How the stand-in behaves from now on. */
export interface Pace {
  /** Each search takes one of these, drawn by chance from a fixed seed. */
  seconds: number[]
  /** Whether `points/query/batch` is answered 404 at once, as by a server that does not know the route. */
  refusesBatches: boolean
}

/** Searches that reached the stand-in since the last `POST /pace`. */
export interface Calls {
  originals: number
  batches: number
  neighbours: number
}

const WORDS =
  'harbour pump valve pressure reset sluice warden gauge lantern keel bell rope tide mast crane ledger'.split(' ')
const LIST = Array.from({ length: 50 }, (_, index) => pointText(index))

/**
 * A stand-in for Qdrant that answers searches after a delay. `POST /pace` sets the delay and the counters to 0, `GET /calls` reads the
 * counters. A list has 50 points with texts of 60 words in documents of five chunks, so stowage also asks for neighbours.
 */
export function createSlowQdrant(): Server {
  let pace: Pace = { seconds: [0], refusesBatches: false }
  let random = seededRandom(1)
  const calls: Calls = { originals: 0, batches: 0, neighbours: 0 }
  return createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    const answer = (status: number, text: string) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    if (request.url === '/calls') return answer(200, JSON.stringify(calls))
    if (request.url === '/pace') {
      pace = JSON.parse(body)
      random = seededRandom(1)
      Object.assign(calls, { originals: 0, batches: 0, neighbours: 0 })
      return answer(200, '{}')
    }
    const { searches, query, limit = 10 } = JSON.parse(body)
    calls[searches ? 'batches' : query ? 'originals' : 'neighbours'] += 1
    if (searches && pace.refusesBatches) return answer(404, '')
    const seconds = pace.seconds[Math.floor(random() * pace.seconds.length)] ?? 0
    const points = (count: number) => `{"points":[${LIST.slice(0, count).join(',')}]}`
    const result = searches
      ? `[${searches.map((search: { limit: number }) => points(search.limit)).join(',')}]`
      : query
        ? points(limit)
        : '{"points":[]}'
    setTimeout(() => answer(200, `{"result":${result},"status":"ok","time":${seconds}}`), seconds * 1000)
  })
}

function pointText(index: number): string {
  const text = Array.from({ length: 60 }, (_, turn) => WORDS[(index * 7 + turn * turn * (index + 1)) % WORDS.length])
  const payload = {
    text: `${index} ${text.join(' ')}`,
    doc_id: `doc-${Math.floor(index / 5)}`,
    order_index: (index % 5) * 2,
  }
  return JSON.stringify({ id: index, version: 1, score: 1 - index / 100, payload })
}
