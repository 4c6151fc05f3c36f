import { z } from 'zod'
import { CONTEXT_FORMATS, CONTEXT_ORDERS } from '../../core/types.ts'

export const PLAN_NAMES = ['measured', 'design'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

const count = z.int().min(1).max(1000)
const share = z.number().min(0).max(1)

/** A plan value with its sentence, and the environment variable that sets it if there is one. */
const value = <Schema extends z.ZodType>(schema: Schema, description: string, variable?: string): Schema =>
  schema.meta(variable === undefined ? { description } : { description, variable })

/** Weights of the two lists and hits per list. `variables` names the environment variables of the weights used without presets. */
const weights = (variables: { dense?: string; keyword?: string; k?: string } = {}) =>
  z.strictObject({
    dense: value(share, 'Weight of the dense list. It belongs to the embedder: measure it.', variables.dense),
    keyword: value(share, 'Weight of the keyword list.', variables.keyword),
    k: value(count, 'Hits asked of each list; at least `rerank.depth` when the plan reranks.', variables.k),
  })

/**
 * Every decision about one request, made before its first step and frozen: no later step reads a flag or the environment. Each
 * rule has its own switch, so that replay can measure it alone. This schema is the only declaration of a plan: the type, the
 * environment variables, `--arms` overrides, the JSON Schema and the settings page come from it.
 */
export const planSchema = z.strictObject({
  name: value(z.enum(PLAN_NAMES), 'The named plan that the values come from.', 'STOWAGE_PLAN'),
  budgetTokens: value(
    z.int().min(0).max(10_000_000),
    'Most tokens of the rendered context, wrappers and citations included.',
    'CONTEXT_TOKEN_BUDGET',
  ),
  tokenizerModel: value(z.string().min(1), 'The model whose tokenizer counts.', 'TOKENIZER_MODEL'),
  maxChunks: value(count.nullable(), 'Most chunks packed; off is no limit beyond the budget.'),
  format: value(z.enum(CONTEXT_FORMATS), 'Format of the rendered context.'),
  order: value(z.enum(CONTEXT_ORDERS), 'Order of the blocks in the context.'),
  retrieval: z.strictObject({
    weights: weights({ dense: 'HYBRID_VECTOR_WEIGHT', keyword: 'HYBRID_KEYWORD_WEIGHT', k: 'RETRIEVAL_K_BASE' }),
    adaptive: value(z.boolean(), 'Weights by the intent of the query, from `presets`.', 'QUERY_ADAPTIVE_WEIGHTS'),
    presets: z.strictObject({
      definition: weights(),
      measurement: weights(),
      procedure: weights(),
      identifier: weights(),
      comparison: weights(),
      exploratory: weights(),
    }),
    pool: value(count, 'Distinct candidates that go on to reranking and packing.'),
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
      'BM25 over the candidates, on title, section path and text, as the lexical score.',
    ),
    partialDenseWeight: value(share, 'Dense weight when some candidates have no dense score.'),
  }),
  dedupe: z.strictObject({
    containment: value(share.nullable(), 'Share of 5-word shingles from which a text is a near-verbatim copy; or off.'),
  }),
  rerank: z.strictObject({
    method: value(
      z.enum(['crossencoder', 'http', 'mmr', 'off']),
      'The reranker: a local cross-encoder, an endpoint, only MMR, or none.',
      'RERANKER',
    ),
    depth: value(count, 'Candidates that are scored, in fused order.'),
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
      'Middle of the bonus for text that looks like an answer; 0 is off.',
      'PACKING_ANSWERABILITY_BONUS',
    ),
  }),
  reunification: z.strictObject({
    enabled: value(z.boolean(), 'Section reunification as a whole.', 'SECTION_REUNIFICATION'),
    propagation: value(z.number().min(0), "Share of the neighbours' mean value that a chunk gains; 0 is off."),
    documentShare: value(z.number().min(0), 'Share of the best value of its document that a chunk gains; 0 is off.'),
    expansion: value(share, "Least share of a candidate's value that its neighbour is worth; 0 is off."),
    scope: value(z.enum(['section', 'document']), 'How far neighbour expansion reaches.'),
    fetch: value(z.boolean(), 'Fetch neighbours that were not retrieved.'),
  }),
  diversity: z.strictObject({
    mmrAlpha: value(share.nullable(), 'Share of relevance in MMR; or off. With `RERANKER=mmr` it is .5.', 'MMR_ALPHA'),
  }),
  packing: z.strictObject({
    counting: value(z.enum(['tokens', 'characters']), 'Fill by real tokens, or by four characters a token.'),
    mode: value(z.enum(['passage', 'sentence']), 'Unit of packing; sentences suit short facts.', 'PACKING_MODE'),
    overflow: value(
      z.enum(['skip', 'stop', 'truncate']),
      'At a chunk that does not fit: try the next, stop (plain greedy fill), or truncate its text.',
    ),
    maxOverflows: value(z.int().min(0), 'Chunks that do not fit after which filling ends.'),
    sentenceCut: value(z.boolean(), 'Cut the first chunk that does not fit to its best sentences.'),
    documentCap: value(count.nullable(), 'Most chunks of one document; or off.', 'PACKING_PER_DOC_CAP'),
    sectionCap: value(count.nullable(), 'Most chunks of one section; or off.', 'PACKING_PER_SECTION_CAP'),
    capMode: value(z.enum(['hard', 'soft']), 'Drop chunks over a cap, or halve the value of each.', 'PACKING_CAP_MODE'),
    noveltyAlpha: value(
      share,
      'Share of the value lost when all words are packed already; 0 is off.',
      'PACKING_NOVELTY_ALPHA',
    ),
  }),
})

export type Plan = z.infer<typeof planSchema>
export type ListWeights = Plan['retrieval']['weights']
