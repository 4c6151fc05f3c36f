import type { Registry } from 'prom-client'
import { codesOf, DEGRADATIONS, DROP_REASONS, STAGES, VERDICTS } from '../../core/vocabulary.ts'
import { RATIOS_FROM_ONE, SHARES, STAGE_SECONDS, TOKENS } from './buckets.ts'
import { declareIn } from './declare.ts'

/** What became of a pair of query and passage that the plan wants to be reranked. */
export const PAIR_RESULTS = ['scored', 'cached', 'skipped'] as const
/** Where the included reranker finds what it made of a passage. */
export const PASSAGE_SOURCES = ['memory', 'disk', 'unread'] as const

/** The endpoints that have a pipeline. */
const ANSWERING = ['context', 'points'] as const

/** Metrics of what the pipeline does with the candidates of a request. */
export function createPipelineMetrics(registry: Registry, rerankQueue: () => number) {
  const { counter, gauge, histogram, histogramWithExemplars } = declareIn(registry)
  return {
    stageSeconds: histogramWithExemplars({
      name: 'stowage_stage_seconds',
      help: 'Time of one pipeline stage, in seconds',
      labels: { stage: codesOf(STAGES) },
      buckets: STAGE_SECONDS,
    }),
    degraded: counter({
      name: 'stowage_degraded_total',
      help: 'Runs of the pipeline in which a step could not do its work, by code; an answer from the cache is no run',
      labels: { code: codesOf(DEGRADATIONS) },
    }),
    modelUnavailable: gauge({
      name: 'stowage_model_unavailable',
      help: '1 while a configured model is missing, else 0',
      labels: { model: [] },
    }),
    contextTokens: histogram({ name: 'stowage_context_tokens', help: 'Tokens of packed contexts', buckets: TOKENS }),
    budgetUsed: histogram({
      name: 'stowage_context_budget_used_ratio',
      help: 'Tokens of a packed context divided by its budget',
      buckets: SHARES,
    }),
    redundancy: histogram({
      name: 'stowage_context_redundancy_ratio',
      help: 'Words of a context divided by the words that its distinct 5-word shingles cover: 1 means that nothing is said twice; a sample of the contexts',
      buckets: RATIOS_FROM_ONE,
    }),
    recallProxy: histogram({
      name: 'stowage_recall_proxy_ratio',
      help: 'Share of the first ten candidates of the searches that is in the answer, by endpoint',
      labels: { endpoint: ANSWERING },
      buckets: SHARES,
    }),
    answerable: counter({
      name: 'stowage_answerable_total',
      help: 'Answers of /v1/context by the verdict whether the documents answer the question',
      labels: { verdict: codesOf(VERDICTS) },
    }),
    packedChunks: counter({ name: 'stowage_packed_chunks_total', help: 'Chunks in packed contexts' }),
    dropped: counter({
      name: 'stowage_dropped_candidates_total',
      help: 'Candidates that a run of the pipeline left out of its answer, by the reason in the trace; an answer from the cache is no run',
      labels: { reason: codesOf(DROP_REASONS) },
    }),
    rerankPairs: counter({
      name: 'stowage_rerank_pairs_total',
      help: 'Pairs of query and passage for the reranker: scored, found in its cache, or skipped because the time was up, too many waited, or it failed',
      labels: { result: PAIR_RESULTS },
    }),
    rerankPassages: counter({
      name: 'stowage_rerank_passages_total',
      help: 'Passages that the included reranker needed, by where it found what it had made of them: in memory (RERANK_MEMORY_MB), on the disk (RERANK_DISK_PATH), or nowhere, so that they were unread',
      labels: { source: PASSAGE_SOURCES },
    }),
    rerankQueue: gauge({
      name: 'stowage_rerank_queue',
      help: 'Pairs of query and passage that wait for a worker of the reranker',
      collect() {
        this.set(rerankQueue())
      },
    }),
    cacheRequests: counter({
      name: 'stowage_cache_requests_total',
      help: 'Answers of /v1/context by whether they came from the cache; none are counted while the cache is off',
      labels: { result: ['hit', 'miss'] },
    }),
  }
}
