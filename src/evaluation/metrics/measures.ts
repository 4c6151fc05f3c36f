/** What is measured of one packed context, in the order of reports. All shares are in [0,1]. */
export const MEASURES = {
  recall: {
    better: 'higher',
    unit: 'share',
    title: 'answer recall',
    meaning: 'gold passages in the context: at least 90 % of the words of each, wherever they come from',
  },
  all_found: {
    better: 'higher',
    unit: 'share',
    title: 'all found',
    meaning: '1 when every gold passage is in the context',
  },
  covered: {
    better: 'higher',
    unit: 'share',
    title: 'covered',
    meaning: 'share of the words of a gold passage in the context, mean over the gold passages',
  },
  place_recall: {
    better: 'higher',
    unit: 'share',
    title: 'recall by place',
    meaning: 'as answer recall, but text counts only at the place of the gold passage: a copy is no hit',
  },
  context_precision: {
    better: 'higher',
    unit: 'share',
    title: 'context precision',
    meaning: 'mean of precision@k over the ranks of the relevant chunks of the context (RAGAS)',
  },
  context_recall: {
    better: 'higher',
    unit: 'share',
    title: 'context recall',
    meaning: 'gold passages with a relevant chunk in the context (RAGAS, from reference contexts)',
  },
  recall_at_1: {
    better: 'higher',
    unit: 'share',
    title: 'recall@1',
    meaning: 'gold passages held by the first ranked chunk',
  },
  recall_at_5: {
    better: 'higher',
    unit: 'share',
    title: 'recall@5',
    meaning: 'gold passages held by the first 5 ranked chunks',
  },
  recall_at_20: {
    better: 'higher',
    unit: 'share',
    title: 'recall@20',
    meaning: 'gold passages held by the first 20 ranked chunks',
  },
  mrr: { better: 'higher', unit: 'share', title: 'MRR', meaning: '1 ÷ the rank of the first relevant chunk' },
  ndcg_at_10: {
    better: 'higher',
    unit: 'share',
    title: 'nDCG@10',
    meaning: 'discounted gain of the first 10 ranked chunks ÷ that of the ideal order',
  },
  garbage: {
    better: 'lower',
    unit: 'share',
    title: 'garbage',
    meaning: 'words of the context outside the gold passages ÷ all its words',
  },
  redundancy: {
    better: 'lower',
    unit: 'ratio',
    title: 'redundancy',
    meaning: 'words of the context ÷ words that its distinct runs of five words cover; 1 is no repetition',
  },
  tokens: { better: 'lower', unit: 'tokens', title: 'tokens', meaning: 'tokens of the context' },
  degraded: {
    better: 'lower',
    unit: 'share',
    title: 'degraded',
    meaning: 'runs in which a step was missing or failed',
  },
  faithfulness: {
    better: 'higher',
    unit: 'share',
    title: 'faithfulness',
    meaning: 'claims of a generated answer that the context supports (RAGAS, by an LLM judge)',
  },
  answer_relevance: {
    better: 'higher',
    unit: 'share',
    title: 'answer relevance',
    meaning: 'similarity of the question to the questions that a generated answer answers (RAGAS, by an LLM judge)',
  },
} as const satisfies Record<string, Measure>

export interface Measure {
  better: 'higher' | 'lower'
  unit: 'share' | 'ratio' | 'tokens'
  title: string
  meaning: string
}

export type MeasureName = keyof typeof MEASURES
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[]

/** The measures of one context. Null: it cannot be measured here, for example without an LLM judge. */
export type Measured = Record<MeasureName, number | null>

/** 1 when more of a measure is better, else −1. */
export function signOf(measure: MeasureName): 1 | -1 {
  return MEASURES[measure].better === 'higher' ? 1 : -1
}
