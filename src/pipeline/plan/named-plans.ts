import type { ListWeights, Plan, PlanName } from './plan.ts'

const list = (dense: number, keyword: number, k: number): ListWeights => ({ dense, keyword, k })

/** Weights by intent, for adaptive weights. */
const PRESETS: Plan['retrieval']['presets'] = {
  definition: list(0.5, 0.5, 16),
  measurement: list(0.5, 0.5, 16),
  procedure: list(0.5, 0.5, 16),
  identifier: list(0.3, 0.7, 16),
  comparison: list(0.6, 0.4, 16),
  exploratory: list(0.7, 0.3, 12),
}

/**
 * The best plan in the packing experiment and in replays. It fuses scores by value, adds BM25 over the candidates, expands
 * neighbours within a section, and cuts what does not fit to its best sentences. Caps, MMR and weights by intent
 * are off. Answerability does not change recall, but it improves the first passage. Figures: docs/decisions/0006-measured-plan.md.
 */
const MEASURED: Plan = {
  name: 'measured',
  budgetTokens: 8000,
  tokenizerModel: 'gpt-4o-2024-11-20',
  maxChunks: null,
  format: 'markdown',
  order: 'relevance',
  retrieval: {
    mode: 'hybrid',
    weights: list(0.4, 0.6, 50),
    adaptive: false,
    presets: PRESETS,
    pool: 50,
    tokensPerCandidate: 100,
    foreignK: 200,
    namedDocuments: 3,
    spelling: true,
    contextual: false,
  },
  fusion: { method: 'values', rrfK: 60, candidateBm25: true, partialDenseWeight: 0.3, denseShift: 0.2 },
  dedupe: { containment: 0.9 },
  rerank: { method: 'crossencoder', depth: 50, leastDepth: 20, topK: null, blend: 0.4, deadlineMs: 1500 },
  answerability: { bonus: 0.1 },
  reunification: {
    enabled: true,
    mentionShare: 0.3,
    propagation: 0.1,
    documentShare: 0.3,
    expansion: 0.78,
    scope: 'section',
    fetch: true,
  },
  diversity: { mmrAlpha: null },
  packing: {
    fill: 'all',
    minRelevance: 0,
    counting: 'tokens',
    mode: 'passage',
    overflow: 'skip',
    maxOverflows: 20,
    sentenceCut: true,
    sentenceChoice: 'reranker',
    repeatHeading: false,
    documentCap: null,
    sectionCap: null,
    capMode: 'hard',
    noveltyAlpha: 0,
    repetition: 'section',
    parentExpansion: null,
    contextLine: false,
  },
  // Measured: docs/results.md.
  verdict: { inDocuments: 0.75, uncertain: 0.22 },
}

/** The values of the original audit. */
const DESIGN: Plan = {
  ...MEASURED,
  name: 'design',
  retrieval: {
    ...MEASURED.retrieval,
    weights: list(0.7, 0.3, 12),
    adaptive: true,
    tokensPerCandidate: null,
    foreignK: null,
    namedDocuments: null,
    spelling: false,
  },
  fusion: { ...MEASURED.fusion, method: 'rrf', candidateBm25: false, denseShift: 0 },
  rerank: { ...MEASURED.rerank, topK: 12 },
  reunification: { ...MEASURED.reunification, mentionShare: 0, propagation: 0.2, expansion: 0.85 },
  diversity: { mmrAlpha: 0.5 },
  packing: {
    ...MEASURED.packing,
    documentCap: 2,
    sectionCap: 1,
    noveltyAlpha: 0.5,
    repetition: 'off',
    sentenceChoice: 'words',
    repeatHeading: true,
  },
}

export const NAMED_PLANS: Readonly<Record<PlanName, Plan>> = { measured: MEASURED, design: DESIGN }
