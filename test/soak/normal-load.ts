import { send } from '../support/send.ts'
import { Tally } from './tally.ts'

/** The timeout of Qdrant's Python client. A later answer is lost for its caller. */
const CLIENT_TIMEOUT_MS = 5_000

interface NormalLoad {
  stowage: string
  direct: string
  collection: string
  questions: readonly string[]
  /** Query vectors of the collection. */
  vectors: readonly (readonly number[])[]
  clients: number
  /** Aborts at the end of the run. */
  signal: AbortSignal
}

/** What a chat backend asks, in a loop for each client: packed contexts, improved searches, and reads that pass through. */
export async function runNormalLoad(load: NormalLoad): Promise<Map<string, Tally>> {
  const { stowage, direct, collection, questions, vectors } = load
  const tallies = new Map<string, Tally>()
  const kinds = (question: string, search: object): [name: string, url: string, path: string, body: unknown][] => [
    ['context', stowage, '/v1/context', { query: question, collection, budget_tokens: 1_000 }],
    ['search through stowage', stowage, `/collections/${collection}/points/query`, search],
    ['search direct', direct, `/collections/${collection}/points/query`, search],
    ['scroll through stowage', stowage, `/collections/${collection}/points/scroll`, { limit: 10, with_payload: true }],
    ['scroll direct', direct, `/collections/${collection}/points/scroll`, { limit: 10, with_payload: true }],
  ]
  for (const [name] of kinds('', {})) tallies.set(name, new Tally())

  async function client(first: number): Promise<void> {
    for (let turn = first; !load.signal.aborted; turn += load.clients) {
      const question = questions[turn % questions.length] ?? ''
      const search = { query: vectors[turn % vectors.length], using: 'dense', limit: 10, with_payload: true }
      for (const [name, url, path, body] of kinds(question, search)) {
        if (load.signal.aborted) return
        const headers = { 'x-stowage-query': encodeURIComponent(question) }
        const started = performance.now()
        const { outcome, reason } = await outcomeOf(send(url, 'POST', path, body, headers))
        tallies.get(name)?.add(outcome, performance.now() - started, reason)
      }
    }
  }
  await Promise.all(Array.from({ length: load.clients }, (_, at) => client(at)))
  return tallies
}

/** Status 200 in time is an answer; 503 with `retry-after` is a refusal that the client can obey; all else is lost. */
async function outcomeOf(answer: ReturnType<typeof send>) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, CLIENT_TIMEOUT_MS, 'late')
  })
  try {
    const first = await Promise.race([answer, late])
    if (first === 'late') {
      answer.catch(() => {})
      return { outcome: 'lost', reason: `no answer within ${CLIENT_TIMEOUT_MS} ms` } as const
    }
    if (first.status === 200) return { outcome: 'answered', reason: '' } as const
    const isRefusal = first.status === 503 && first.headers.has('retry-after')
    return { outcome: isRefusal ? 'refused' : 'lost', reason: `status ${first.status}` } as const
  } catch (error) {
    return { outcome: 'lost', reason: String(error instanceof Error ? (error.cause ?? error) : error) } as const
  } finally {
    clearTimeout(timer)
  }
}
