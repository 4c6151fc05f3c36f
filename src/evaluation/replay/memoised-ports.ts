import type { Embedder, PassageStore, Reranker } from '../../core/ports.ts'

/** Milliseconds that a run did not spend because an earlier run of the same query had, by stage. */
export type SparedMs = Record<string, number>

export interface RememberedPorts {
  store: PassageStore
  embedder: Embedder | null
  reranker: Reranker | null
}

/**
 * Pays for every ask of a query once, over all arms and budgets, and keeps the price: a run that is answered from memory has what the ask
 * first cost added to `spared`, so that arms are compared by what each would take alone. Holds one query at a time.
 */
export class ReplayMemory {
  #query = ''
  readonly #answers = new Map<string, { answer: unknown; ms: number }>()

  /** The ports as one run of a query sees them. `deadlineMs` tells reranks apart that may have ended early. */
  remember(ports: RememberedPorts, query: string, deadlineMs: number, spared: SparedMs): RememberedPorts {
    if (query !== this.#query) this.#answers.clear()
    this.#query = query
    const ask = <Answer>(stage: string, key: unknown[], work: () => Promise<Answer>) =>
      this.#ask(stage, JSON.stringify([stage, ...key]), work, spared)
    const { store, embedder, reranker } = ports
    return {
      store: {
        search: (request, call) => {
          const { collection, filter, limit, withVectors, dense, sparse } = request
          const key = [collection, filter, limit, withVectors, dense !== null, sparse !== null]
          return ask('retrieve', key, () => store.search(request, call))
        },
        fetchPlaces: (collection, places, filter, call) =>
          ask('reunify', [collection, places, filter], () => store.fetchPlaces(collection, places, filter, call)),
      },
      embedder: embedder && {
        version: embedder.version,
        dimensions: embedder.dimensions,
        embedQuery: (text, signal) => ask('retrieve', ['embed', text], () => embedder.embedQuery(text, signal)),
        embedPassages: (texts, signal) => embedder.embedPassages(texts, signal),
        close: () => embedder.close(),
      },
      reranker: reranker && {
        model: reranker.model,
        rerank: request => ask('rerank', [request.query, request.passages, deadlineMs], () => reranker.rerank(request)),
        close: () => reranker.close(),
      },
    }
  }

  async #ask<Answer>(stage: string, key: string, work: () => Promise<Answer>, spared: SparedMs): Promise<Answer> {
    const known = this.#answers.get(key)
    if (known) {
      spared[stage] = (spared[stage] ?? 0) + known.ms
      return known.answer as Answer
    }
    const from = performance.now()
    const answer = await work()
    this.#answers.set(key, { answer, ms: performance.now() - from })
    return answer
  }
}
