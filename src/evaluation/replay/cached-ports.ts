import type { PipelinePorts } from '../../pipeline/services.ts'
import { printJson } from '../../qdrant/json.ts'

/** Milliseconds by stage. */
export type StageTimes = Record<string, number>

/**
 * Caches the answers of store, embedder and reranker for one query, so that all its arms and budgets cost one call each. A cached
 * answer is charged with the time of its first call: the latency of an arm is what it would take alone. Runs use it one after the other.
 */
export class PortCache {
  readonly #ports: PipelinePorts
  readonly #answers = new Map<string, { answer: unknown; ms: number }>()

  constructor(ports: PipelinePorts) {
    this.#ports = ports
  }

  /**
   * Returns the ports for one run, and `takeSaved`: what cached answers saved in this run since its last call. `deadlineMs` is the
   * deadline of the reranker; it is part of the key because a rerank may end early.
   */
  forRun(deadlineMs: number): { ports: PipelinePorts; takeSaved: () => StageTimes } {
    let savedMs: StageTimes = {}
    const ask = async <Answer>(
      stage: string,
      parts: unknown[],
      work: () => Promise<Answer>,
      isLate: () => boolean = () => false,
    ): Promise<Answer> => {
      const key = printJson([stage, ...parts])
      const cached = this.#answers.get(key)
      if (cached) {
        savedMs[stage] = (savedMs[stage] ?? 0) + cached.ms
        return cached.answer as Answer
      }
      const from = performance.now()
      const answer = await work()
      if (!isLate()) this.#answers.set(key, { answer, ms: performance.now() - from })
      return answer
    }
    const { store, embedder, reranker } = this.#ports
    const ports: PipelinePorts = {
      ...this.#ports,
      store: {
        search: async (request, call) => {
          const { dense, ...others } = request
          // The time of embedding is charged by `embedQuery` already.
          const vector = dense && 'vector' in dense ? await dense.vector : dense
          const key = [others, call.condition, dense !== null, vector && [...vector]]
          const stage = request.documents === undefined ? 'retrieve' : 'named_documents'
          return ask(stage, key, () => store.search(request, call))
        },
        fetchPlaces: (collection, places, filter, call) =>
          ask('reunify', [collection, places, filter, call.condition], () =>
            store.fetchPlaces(collection, places, filter, call),
          ),
        fetchParents: (collection, ids, filter, call) =>
          ask('parents', [collection, ids, filter, call.condition], () =>
            store.fetchParents(collection, ids, filter, call),
          ),
      },
      embedder: embedder && {
        version: embedder.version,
        dimensions: embedder.dimensions,
        languages: embedder.languages,
        embedQuery: (text, signal) => ask('retrieve', ['embed', text], () => embedder.embedQuery(text, signal)),
        embedPassages: (texts, signal) => embedder.embedPassages(texts, signal),
        close: () => embedder.close(),
      },
      reranker: reranker && {
        model: reranker.model,
        languages: reranker.languages,
        rerank: request => ask('rerank', [request.query, request.passages, deadlineMs], () => reranker.rerank(request)),
        ...(reranker.matchParts && {
          matchParts: request =>
            ask(
              'pack',
              [request.query, request.passages],
              async () => (await reranker.matchParts?.(request)) ?? [],
              () => request.signal.aborted,
            ),
        }),
        close: () => reranker.close(),
      },
    }
    const takeSaved = () => {
      const taken = savedMs
      savedMs = {}
      return taken
    }
    return { ports, takeSaved }
  }
}
