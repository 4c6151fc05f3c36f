import type { DegradationCode, DropReason } from './vocabulary.ts'

/** The data of the pipeline. */

/** A range, end exclusive; in a text, of UTF-16 code units. */
export interface Span {
  start: number
  end: number
}

/** Id of a Qdrant point: a UUID string or a u64, as bigint when a double cannot hold it. */
export type PointId = number | bigint | string

/** Sparse vector in Qdrant's shape: parallel arrays with unique u32 indices. */
export interface SparseVector {
  indices: number[]
  values: number[]
}

/** Parsed JSON; integers that a double cannot hold are bigint. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** A passage as a collection stores it. */
export interface Chunk {
  id: PointId
  collection: string
  /** Document id of the payload, or the point id when the payload has none. */
  docId: string
  docTitle: string
  /** The name of the file of a document without a title, in words; absent when the path has none that a reader would know. */
  pageName?: string
  /** What the id, the path or the address of the document says beside its title or the name of its file, in words; absent when it says nothing more. */
  docName?: string
  /** "A > B > C", empty when unknown. */
  sectionPath: string
  /** Header line of the section as in the document ("## Setup"), empty when unknown. */
  header: string
  /** Place in the document, from 0. Null when unknown: then the chunk has no neighbours. */
  orderIndex: number | null
  /** Offset in the document, in UTF-16 code units. */
  charStart: number | null
  charEnd: number | null
  /** The page that the offsets and lines are of; absent when the payload has none. */
  page?: number
  /** The first and last line in the document, or on the page, from 1; absent when the payload has none. */
  lines?: { first: number; last: number }
  /** Whether stowage found the order index among the candidates of one question: it is none of the collection. */
  isPlaceDerived?: true
  text: string
  /** Says where the chunk stands in its document. It is no text of the document; absent without one. */
  context?: string
  /** Id of the point with the larger text that this one is a part of; absent without one. */
  parentId?: PointId
}

/** The rank and score of a candidate in one list, or in the BM25 over the candidates. */
export interface Signal {
  /** 'dense', 'keyword', 'candidate_bm25', or 'prefetch[0]' in a search route; with the collection in front when there are several. */
  source: string
  kind: 'dense' | 'keyword' | 'lexical' | 'other'
  /** Rank in the list, from 1; null when the candidate is not in it. */
  rank: number | null
  /** Score on the scale of the list; null when the candidate is not in it. */
  score: number | null
  weight: number
  /** Share of the fused score. */
  contribution: number
}

export interface RetrievedList {
  source: string
  kind: 'dense' | 'keyword' | 'other'
  /** What its scores are, such as `Cosine`. Scores of different metrics are not compared. Absent: those of all lists of the source. */
  metric?: string
  /** Best first. */
  hits: RetrievedHit[]
}

export interface RetrievedHit {
  chunk: Chunk
  score: number
  /** The dense vector, when the request asked for it. */
  vector?: Float32Array
}

/** How a candidate came in: by a search, beside a retrieved one, or in place of its packed children. */
export const ORIGINS = ['retrieved', 'neighbour', 'parent'] as const

/** A chunk under consideration, with every number that decided about it. Steps create new candidates and mutate none. */
export interface Candidate {
  /** See `pointKey`. */
  key: string
  chunk: Chunk
  /** A parent has the figures of its best packed child, and no signals of its own. */
  origin: (typeof ORIGINS)[number]
  signals: Signal[]
  /** Sum of the signals' contributions. */
  fused: number
  /** Relevance in [0,1] from the reranker; null when not scored. */
  rerank: number | null
  answerability: { bonus: number; features: string[] }
  /** The best passage that names the document, and what it added to the value before values were scaled; absent without one. */
  mention?: { by: Chunk; gain: number }
  /** Estimated relevance, which decides the order of packing. After `scaleToBest` the best candidate has 1. */
  value: number
  vector?: Float32Array
  /** The title of the document without the name of the site that all candidates are of; absent where it is shown whole. */
  pageTitle?: string
  /** What the path of the document says, to be shown beside its title; absent where the title says enough. */
  sourceName?: string
  /** Where the text begins that is packed, in UTF-16 code units: behind a heading that the source line has. Absent: at 0. */
  textStart?: number
}

/** A candidate that is left out, with exactly one reason and its figures. */
export interface Dropped {
  candidate: Candidate
  reason: DropReason
  evidence: { of?: string; similarity?: number; short_by_tokens?: number; cap?: number; rank?: number; detail?: string }
}

export interface FilterResult {
  kept: Candidate[]
  dropped: Dropped[]
}

export const INTENTS = ['definition', 'measurement', 'procedure', 'identifier', 'comparison', 'exploratory'] as const
export type Intent = (typeof INTENTS)[number]

/** Where the question of a request came from; the first of them that has a text. */
export const QUERY_SOURCES = ['request', 'header', 'inference', 'relay', 'filter', 'none'] as const
export type QuerySource = (typeof QUERY_SOURCES)[number]

/** A step that could not do its work; the request is answered without it. */
export interface Degradation {
  code: DegradationCode
  detail: string
}

/** Which lists are searched: the dense one, the keyword one, or both. */
export const RETRIEVAL_MODES = ['semantic', 'lexical', 'hybrid'] as const
export type RetrievalMode = (typeof RETRIEVAL_MODES)[number]

export const CONTEXT_FORMATS = ['markdown', 'xml', 'json'] as const
export type ContextFormat = (typeof CONTEXT_FORMATS)[number]

/** What a context is filled with: what fits the budget, or only what is relevant. */
export const FILLS = ['all', 'relevant'] as const

export const CONTEXT_ORDERS = ['relevance', 'document', 'edges', 'stable'] as const
export type ContextOrder = (typeof CONTEXT_ORDERS)[number]
/** How documents are cut: into chunks along their headings, or into such chunks with the larger text around them beside. */
export const CHUNKINGS = ['sections', 'parent-child'] as const
export type Chunking = (typeof CHUNKINGS)[number]

/** What takes the time of a long work: how much of it is done, and how much there is, in any unit. */
export interface Effort {
  done: number
  total: number
}
