import type { ListWeights, Plan, PlanName } from './plan.ts'

const list = (dense: number, keyword: number, perList: number): ListWeights => ({ dense, keyword, perList })

/** Weights that intent chooses when they are adaptive: one table, overridable. */
const PRESETS: Plan['retrieval']['presets'] = {
  definition: list(0.5, 0.5, 16),
  measurement: list(0.5, 0.5, 16),
  procedure: list(0.5, 0.5, 16),
  identifier: list(0.3, 0.7, 16),
  comparison: list(0.6, 0.4, 16),
  exploratory: list(0.7, 0.3, 12),
}

/**
 * `measured`: what the packing experiment and our own replays show to win. Values not ranks, the pool's own BM25, neighbours of the same
 * section, the misfit cut to its best sentences; no caps, no MMR, no intent weights. Answerability moves no recall
 * and is on because it decides which passage stands first. Figures: docs/decisions/0006-measured-plan.md.
 */
const MEASURED: Plan = {
  name: 'measured',
  budgetTokens: 8000,
  tokenizerModel: 'gpt-4o-2024-11-20',
  maxChunks: null,
  format: 'markdown',
  order: 'relevance',
  retrieval: { weights: list(0.3, 0.7, 50), adaptive: false, presets: PRESETS, pool: 50 },
  fusion: { method: 'values', rrfK: 60, poolBm25: true, partialDenseWeight: 0.3 },
  dedupe: { containment: 0.9 },
  rerank: { method: 'crossencoder', depth: 50, keep: null, blend: 0.3, deadlineMs: 1500 },
  answerability: { bonus: 0.1 },
  reunification: { smoothing: 0.2, documentShare: 0.3, growth: 0.85, scope: 'section', fetch: true },
  diversity: { mmrAlpha: null },
  packing: {
    counting: 'tokens',
    mode: 'passage',
    misfit: 'skip',
    maxMisses: 20,
    cut: true,
    perDocument: null,
    perSection: null,
    capMode: 'hard',
    noveltyAlpha: 0,
  },
}

/** `design`: the numbers of the original audit. */
const DESIGN: Plan = {
  ...MEASURED,
  name: 'design',
  retrieval: { weights: list(0.7, 0.3, 12), adaptive: true, presets: PRESETS, pool: 50 },
  fusion: { ...MEASURED.fusion, method: 'rrf', poolBm25: false },
  rerank: { ...MEASURED.rerank, keep: 12 },
  diversity: { mmrAlpha: 0.5 },
  packing: { ...MEASURED.packing, perDocument: 2, perSection: 1, noveltyAlpha: 0.5 },
}

export const NAMED_PLANS: Readonly<Record<PlanName, Plan>> = { measured: MEASURED, design: DESIGN }
