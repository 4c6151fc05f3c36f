import { z } from 'zod'
import { CONTEXT_FORMATS, CONTEXT_ORDERS, FILLS, RETRIEVAL_MODES } from '../../core/types.ts'
import { REPETITION_SCOPES } from '../../pack/repetition/packed-sentences.ts'

export const PLAN_NAMES = ['measured', 'design'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

const count = z.int().min(1).max(1000)
const share = z.number().min(0).max(1)

/** A plan value with its description and, if any, its environment variable. */
const value = <Schema extends z.ZodType>(schema: Schema, description: string, variable?: string): Schema =>
  schema.meta(variable === undefined ? { description } : { description, variable })

/** Weights of the two lists, and hits per list. @param variables environment variables; presets have none */
const weights = (variables: { dense?: string; keyword?: string; k?: string } = {}) =>
  z.strictObject({
    dense: value(share, 'Weight of the dense list. It belongs to the embedder: measure it.', variables.dense),
    keyword: value(share, 'Weight of the keyword list.', variables.keyword),
    k: value(
      count,
      'Hits asked of each list; at least `rerank.depth` when the plan reranks, and as many as `retrieval.tokensPerCandidate` asks for.',
      variables.k,
    ),
  })

/**
 * All decisions about one request. They are made before its first step and then frozen; no step reads a flag or the environment.
 * Each rule has its own switch, so that replay can measure it alone. The type, the environment variables, `--arms` overrides, the
 * JSON Schema and the settings page come from this schema.
 */
export const planSchema = z.strictObject({
  name: value(z.enum(PLAN_NAMES), 'The named plan that the values come from.', 'STOWAGE_PLAN'),
  budgetTokens: value(
    z.int().min(0).max(10_000_000),
    'Most tokens of the rendered context, wrappers and citations included.',
    'CONTEXT_TOKEN_BUDGET',
  ),
  tokenizerModel: value(z.string().min(1), 'The model whose tokenizer counts.', 'TOKENIZER_MODEL'),
  maxChunks: value(count.nullable(), 'Most chunks packed; off sets no limit.'),
  format: value(z.enum(CONTEXT_FORMATS), 'Format of the rendered context.'),
  order: value(z.enum(CONTEXT_ORDERS), 'Order of the blocks in the context.'),
  retrieval: z.strictObject({
    mode: value(
      z.enum(RETRIEVAL_MODES),
      'Lists that are searched: the dense one, the keyword one, or both. When a list is not there, the other one is searched.',
      'RETRIEVAL_MODE',
    ),
    weights: weights({ dense: 'HYBRID_VECTOR_WEIGHT', keyword: 'HYBRID_KEYWORD_WEIGHT', k: 'RETRIEVAL_K_BASE' }),
    adaptive: value(
      z.boolean(),
      'Take the weights from `presets` by the intent of the query.',
      'QUERY_ADAPTIVE_WEIGHTS',
    ),
    presets: z.strictObject({
      definition: weights(),
      measurement: weights(),
      procedure: weights(),
      identifier: weights(),
      comparison: weights(),
      exploratory: weights(),
    }),
    pool: value(count, 'Distinct candidates that go on to reranking and packing.'),
    tokensPerCandidate: value(
      z.int().min(10).max(10_000).nullable(),
      'The pool is at least one candidate for each so many tokens of the budget, up to 500, and so are the hits asked of each list, divided among the collections. Off: a large budget may not be filled.',
      'RETRIEVAL_TOKENS_PER_CANDIDATE',
    ),
    foreignK: value(
      count.nullable(),
      'Hits asked of each list, at least, in a collection that `stowage ingest` has not written: its vectors do not know what its documents are called, and it may have no keyword list. On Qdrant’s paths: of a dense list that is alone, when the question may be known. Off: as many as elsewhere.',
      'RETRIEVAL_FOREIGN_K',
    ),
    namedDocuments: value(
      z.int().min(1).max(20).nullable(),
      'Documents that the question names, at most, which are searched once more for chunks that the lists missed. Collections of `stowage ingest` do without: their vectors and keywords know what a document is called. Off: none.',
      'RETRIEVAL_NAMED_DOCUMENTS',
    ),
    spelling: value(
      z.boolean(),
      'Correct misspelt words of the question by the words of the passages that were found, and search once more.',
      'RETRIEVAL_SPELLING',
    ),
    contextual: value(
      z.boolean(),
      'Search the collection with contexts that `CONTEXTUAL_COLLECTIONS` names for the one that was asked.',
      'RETRIEVAL_CONTEXTUAL',
    ),
  }),
  fusion: z.strictObject({
    method: value(
      z.enum(['values', 'rrf']),
      'Weighted sum of scaled scores, or reciprocal rank fusion.',
      'FUSION_METHOD',
    ),
    rrfK: value(z.number().min(0), 'Rank constant k of reciprocal rank fusion; ranks count from 1.'),
    candidateBm25: value(
      z.boolean(),
      'Score candidates by BM25 over title, section path, context and text, with identifiers as terms of their own.',
    ),
    partialDenseWeight: value(share, 'Dense weight when some candidates have no dense score.'),
    denseShift: value(
      share,
      'Share of all weight that goes from the keyword lists to the dense one when no reranker orders the candidates of both lists, and the embedder reads their language.',
    ),
  }),
  dedupe: z.strictObject({
    containment: value(
      share.gt(0).nullable(),
      'Least share of common 5-word shingles of near-verbatim copies; or off.',
    ),
  }),
  rerank: z.strictObject({
    method: value(
      z.enum(['crossencoder', 'http', 'mmr', 'off']),
      'The reranker: a local cross-encoder, an endpoint, only MMR, or none.',
      'RERANKER',
    ),
    depth: value(count, 'Candidates that are scored, in fused order.'),
    leastDepth: value(
      count.nullable(),
      'Candidates that are still scored when other requests wait for the reranker; off always scores `depth`.',
    ),
    topK: value(count.nullable(), 'Candidates kept after reranking; off keeps all.', 'RERANK_TOPK'),
    blend: value(share, 'Share of the relevance in the blend with the fused value.', 'RERANK_BLEND'),
    deadlineMs: value(
      z.int().min(1).max(600_000),
      'Longest time for reranking, in milliseconds.',
      'RERANK_DEADLINE_MS',
    ),
  }),
  answerability: z.strictObject({
    bonus: value(
      share,
      'Bonus for text that looks like an answer: half to 1.5 times this value; 0 is off.',
      'PACKING_ANSWERABILITY_BONUS',
    ),
  }),
  reunification: z.strictObject({
    enabled: value(z.boolean(), 'Section reunification as a whole.', 'SECTION_REUNIFICATION'),
    mentionShare: value(
      z.number().min(0),
      'Share of the value of a passage that the first chunk of another document gains whose title stands in it; 0 is off.',
    ),
    propagation: value(z.number().min(0), "Share of the neighbours' mean value that a chunk gains; 0 is off."),
    documentShare: value(z.number().min(0), 'Share of the best value of its document that a chunk gains; 0 is off.'),
    expansion: value(share, "Least share of a candidate's value that its neighbour is worth; 0 is off."),
    scope: value(z.enum(['section', 'document']), 'How far neighbour expansion reaches.'),
    fetch: value(z.boolean(), 'Fetch neighbours that were not retrieved.'),
  }),
  diversity: z.strictObject({
    mmrAlpha: value(
      share.nullable(),
      'Share of relevance in MMR; or off. With `RERANKER=mmr` the default is 0.5.',
      'MMR_ALPHA',
    ),
  }),
  packing: z.strictObject({
    fill: value(
      z.enum(FILLS),
      'Fill the budget with what fits, or only with chunks whose relevance is 0.01 or more, or a tenth of the largest one.',
      'PACKING_FILL',
    ),
    minRelevance: value(
      share,
      'Least relevance of a packed chunk, in [0,1]; 0 sets none. The context can become empty.',
      'PACKING_MIN_RELEVANCE',
    ),
    counting: value(z.enum(['tokens', 'characters']), 'Count tokens exactly, or as four characters each.'),
    mode: value(z.enum(['passage', 'sentence']), 'Unit of packing. Sentences suit short facts.', 'PACKING_MODE'),
    overflow: value(
      z.enum(['skip', 'stop', 'truncate']),
      'When a chunk does not fit: try the next, stop (greedy fill), or truncate its text.',
    ),
    maxOverflows: value(z.int().min(0), 'Filling ends after this many chunks that do not fit.'),
    sentenceCut: value(
      z.boolean(),
      'Cut the best chunk that does not fit, one of which nine tenths fit, and at the end others while there is room, to its best sentences.',
    ),
    sentenceChoice: value(
      z.enum(['words', 'reranker']),
      'What chooses the sentences of a chunk that is cut: the words of the question, as one run, or the reranker, with gaps. A reranker that cannot tell leaves it to the words.',
      'PACKING_SENTENCE_CHOICE',
    ),
    repeatHeading: value(
      z.boolean(),
      'Pack a heading at the beginning of a chunk although the source line has it.',
      'PACKING_REPEAT_HEADING',
    ),
    documentCap: value(count.nullable(), 'Most chunks of one document; or off.', 'PACKING_PER_DOC_CAP'),
    sectionCap: value(count.nullable(), 'Most chunks of one section; or off.', 'PACKING_PER_SECTION_CAP'),
    capMode: value(z.enum(['hard', 'soft']), 'Drop chunks over a cap, or halve the value of each.', 'PACKING_CAP_MODE'),
    noveltyAlpha: value(
      share,
      'Share of its value that a chunk loses when all its words are already packed; 0 is off.',
      'PACKING_NOVELTY_ALPHA',
    ),
    repetition: value(
      z.enum(REPETITION_SCOPES),
      'Where a sentence that is packed is not packed again: nowhere, in its section, or in the whole context.',
      'PACKING_REPETITION',
    ),
    parentExpansion: value(
      share.nullable(),
      "Least share of a parent's tokens in its packed chunks, two or more, for the parent to replace them; or off.",
      'PACKING_PARENT_EXPANSION',
    ),
    contextLine: value(
      z.boolean(),
      "Show the first sentence of a chunk's context as one line before its text, at most 30 tokens.",
      'PACKING_CONTEXT_LINE',
    ),
  }),
  verdict: z.strictObject({
    inDocuments: value(
      share,
      'Least probability of the verdict `in_documents` of `answerable`.',
      'VERDICT_IN_DOCUMENTS',
    ),
    uncertain: value(
      share,
      'Least probability of the verdict `uncertain`; at most `verdict.inDocuments`.',
      'VERDICT_UNCERTAIN',
    ),
  }),
})

export type Plan = z.infer<typeof planSchema>
export type ListWeights = Plan['retrieval']['weights']
