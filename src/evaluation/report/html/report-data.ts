/**
 * What the page of a report reads. Server and page share this file, so it imports nothing. Figures are unrounded shares in [0,1],
 * tokens or milliseconds. Arms, budgets and measures are named by their places in the lists of `ReportData`.
 */
export interface ReportData {
  version: 1
  facts: ReportFacts
  /** The measures that have values, in the order of reports. */
  measures: MeasureFacts[]
  /** Tokens, rising. */
  budgets: number[]
  arms: ArmFacts[]
  /** The arm that the others are compared with. */
  reference: number
  sets: SetFacts[]
  curves: Curve[]
  effects: Effect[]
  /** Null when the replay was no ablation. */
  ablation: AblationRow[] | null
  latency: StageTime[]
  queries: QueryRow[]
  /** One sentence for each code. */
  sentences: {
    dropReasons: Record<string, string>
    stages: Record<string, string>
    degradations: Record<string, string>
  }
  /** The budget at which contexts and candidates are kept. */
  detailBudget: number
  /** The arms whose contexts and candidates are kept. */
  detailArms: number[]
  /** What was left out to keep the file small, as sentences. */
  leftOut: string[]
}

export interface ReportFacts {
  title: string
  /** ISO 8601. */
  createdAt: string
  stowage: string
  /** The command line that made the report; null when it is unknown. */
  command: string | null
  embedder: string | null
  reranker: string | null
  chunkTokens: number
  /** Of the bootstrap intervals. */
  resamples: number
  seed: number
  warnings: string[]
  /** Licence texts of the software in the page. */
  licences: { name: string; text: string }[]
}

export interface MeasureFacts {
  name: string
  title: string
  meaning: string
  better: 'higher' | 'lower'
  unit: 'share' | 'ratio' | 'tokens'
}

export interface ArmFacts {
  name: string
  /** The fingerprint of the plan, or the address of a server. */
  source: string
  /** Values of the plan by their paths, for example `rerank.topK`. Empty for a server arm. */
  plan: Record<string, string>
}

export interface SetFacts {
  name: string
  hash: string
  queries: number
  documents: number
  chunks: number
  /** Runs by the code of their degradation. */
  degraded: Record<string, number>
}

/** A mean with its 95 % interval. */
export interface Estimate {
  mean: number
  low: number
  high: number
}

/** Means of one measure of one arm, by budget. */
export interface Curve {
  measure: number
  arm: number
  /** Null: the mean over all sets, each with the same weight. */
  set: number | null
  /** In the order of the budgets; null where nothing is measured. */
  points: (Estimate | null)[]
  /** The budget from which more tokens add little; null when the measure has none. */
  knee: number | null
}

export type Verdict = 'helps' | 'hurts' | 'unproven'

/** The difference of an arm to the reference. */
export interface Effect extends Estimate {
  measure: number
  arm: number
  set: number | null
  /** Null: the mean over all budgets. */
  budget: number | null
  verdict: Verdict
}

/** The effect of one rule: with it minus without it. */
export interface AblationRow extends Estimate {
  rule: string
  /** What the rule does, in one sentence; null when unknown. */
  meaning: string | null
  kind: 'off alone' | 'on alone'
  measure: string
  /** Name of the set; null: all sets. */
  set: string | null
  verdict: Verdict
}

export interface StageTime {
  arm: number
  /** A stage of the pipeline, or `total`. */
  stage: string
  /** Milliseconds. */
  p50: number
  p95: number
}

export interface QueryRow {
  set: number
  id: string
  query: string
  answer: string | null
  intent: string | null
  grade: string | null
  golds: number
  /** Figures by arm, budget and measure. */
  figures: (number | null)[][][]
  /** Milliseconds by arm and budget. */
  ms: number[][]
  degraded: string[]
  /** Numbers of candidates by arm and budget; null when the arm has no trace. */
  waterfall: (Waterfall | null)[][]
  /** Numbers of the parts of the file that hold contexts and candidates; null when they were left out. */
  contexts: number | null
  candidates: number | null
}

/** Where the candidates of one run went. */
export interface Waterfall {
  retrieved: number
  /** Candidates that were fetched as neighbours. */
  neighbours: number
  /** Parents that are packed in place of candidates. */
  parents: number
  /** By drop reason. */
  dropped: Record<string, number>
  packed: number
  /** Tokens of the context. */
  used: number
}

/** A text with the words that it shares with gold passages: pairs of start and end, in UTF-16 code units. */
export interface MarkedText {
  text: string
  marks: number[]
}

export interface GoldText {
  text: string
  /** Share of its words in the context of each arm; null for an arm without a context. */
  found: (number | null)[]
}

/** A part of the file: what one query has of contexts at the detail budget. */
export interface ContextsPart {
  golds: GoldText[]
  /** In the order of the arms. */
  contexts: (MarkedText | null)[]
}

/** A part of the file: the candidates of one query at the detail budget. Points are named by their places in the table of points. */
export interface CandidatesPart {
  /** The points that hold words of a gold passage. */
  gold: number[]
  lists: SearchList[]
  /** In the order of the arms; null for an arm without a trace. */
  arms: (CandidateColumns | null)[]
}

/** What one list of the searches says of the candidates, in its own order. */
export interface SearchList {
  source: string
  weight: number
  point: number[]
  /** Null: 1, 2, 3, and so on. */
  rank: (number | null)[] | null
  score: (number | null)[]
  contribution: number[]
}

/** The candidates of a run in columns, because columns compress well. Packed ones first, then dropped ones. */
export interface CandidateColumns {
  intent: string | null
  /** Codes and details. */
  degraded: [string, string][]
  /** Name, milliseconds, candidates in and out, and whether the stage changed anything. */
  stages: [string, number, number, number, boolean][]
  point: number[]
  /** Rows of the candidates that were fetched as neighbours. */
  neighbour: number[]
  /** Rows of the parents that are packed in place of candidates. */
  parent: number[]
  /** Places in the lists of the part. */
  lists: number[]
  fused: number[]
  rerank: (number | null)[]
  bonus: number[]
  features: (string | null)[]
  final: number[]
  tokens: (number | null)[]
  /** Rank in the context from 1; null when dropped. */
  position: (number | null)[]
  reason: (string | null)[]
  evidence: EvidenceColumns
}

/** The facts behind the reasons. */
export interface EvidenceColumns {
  /** The point that the candidate is a copy of, or similar to. */
  of: (number | null)[]
  similarity: (number | null)[]
  /** Tokens. */
  shortBy: (number | null)[]
  rank: (number | null)[]
  cap: (number | null)[]
  detail: (string | null)[]
}

/** A part of the file: the points of all candidates, in columns. */
export interface PointsPart {
  id: string[]
  docId: string[]
  sectionPath: string[]
  /** Place in the document; null when unknown. */
  order: (number | null)[]
  /** The beginning of its text; null when unknown. */
  snippet: (string | null)[]
}
