import type { ContextFormat, ContextOrder, Intent } from '../../core/types.ts'

export const PLAN_NAMES = ['measured', 'design'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

/** Weights of the two lists and their length, as chosen for an intent. */
export interface ListWeights {
  dense: number
  keyword: number
  /** Hits asked of each list. */
  perList: number
}

/**
 * Every decision about one request, made before its first step and frozen: no later step reads a flag or the environment.
 * Each rule has its own switch, so that replay can measure it alone.
 */
export interface Plan {
  name: PlanName
  budgetTokens: number
  tokenizerModel: string
  /** Most chunks packed; null is no limit beyond the budget. */
  maxChunks: number | null
  format: ContextFormat
  order: ContextOrder
  retrieval: {
    weights: ListWeights
    /** Whether intent chose the weights (QUERY_ADAPTIVE_WEIGHTS). */
    adaptive: boolean
    /** Weights per intent, used when adaptive. */
    presets: Record<Intent, ListWeights>
    /** Distinct candidates that go on to reranking and packing. */
    pool: number
  }
  fusion: {
    method: 'values' | 'rrf'
    /** Rank constant of reciprocal rank fusion, ranks from 1. */
    rrfK: number
    /** BM25 counted inside the pool over title + section path + text, as the lexical value. */
    poolBm25: boolean
    /** Dense weight when some candidates lack a dense score (they get the list's minimum). */
    partialDenseWeight: number
  }
  dedupe: {
    /** 5-gram containment from which a text is a near-verbatim copy; null switches the rule off. */
    containment: number | null
  }
  rerank: {
    method: 'crossencoder' | 'http' | 'mmr' | 'off'
    /** Candidates scored, in fused order. */
    depth: number
    /** Candidates kept after reranking; null keeps all. */
    keep: number | null
    /** Share of the reranker's relevance in the blend with the fused value, in [0,1]. */
    blend: number
    deadlineMs: number
  }
  answerability: {
    /** Middle of the bonus range; 0 switches it off. */
    bonus: number
  }
  reunification: {
    /** Share of the neighbours' mean value that a chunk gains; 0 is off. */
    smoothing: number
    /** Share of the best value of its document that a chunk gains; 0 is off. */
    documentShare: number
    /** Least share of a candidate's value that its neighbour is worth; 0 is off. */
    growth: number
    /** How far growth reaches: neighbours of the same section, or any of the document. */
    scope: 'section' | 'document'
    /** Whether neighbours that were not retrieved are fetched. */
    fetch: boolean
  }
  diversity: {
    /** MMR's share of relevance, in [0,1]; null is off. */
    mmrAlpha: number | null
  }
  packing: {
    /** What the budget is counted in while filling: real tokens, or the audit's estimate of four characters a token. */
    counting: 'tokens' | 'characters'
    mode: 'passage' | 'sentence'
    /** 'skip' goes on after a misfit, 'stop' ends at the first (plain greedy fill), 'blind_cut' cuts the text there. */
    misfit: 'skip' | 'stop' | 'blind_cut'
    maxMisses: number
    /** Cut the first misfit to its best sentences. */
    cut: boolean
    perDocument: number | null
    perSection: number | null
    capMode: 'hard' | 'soft'
    /** How much of a chunk's value is lost when its words are all packed already, in [0,1]; 0 is off. */
    noveltyAlpha: number
  }
}
