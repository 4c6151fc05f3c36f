/**
 * The closed vocabularies that users meet in answers, headers, traces and metrics: each code with one sentence. Types, schemas and
 * the pages under `docs/` come from these tables.
 */

/** Why a candidate is not in the context. */
export const DROP_REASONS = {
  duplicate: 'A better candidate stands at the same place or holds the same text.',
  below_pool: 'Its fused rank is below the pool that goes on to reranking.',
  rerank_cut: 'Its rank after reranking is below `rerank.topK`.',
  redundant: 'MMR preferred candidates that are less similar to those already chosen.',
  doc_cap: 'The document already has as many chunks as the cap allows.',
  section_cap: 'The section already has as many chunks as the cap allows.',
  over_budget: 'It does not fit into the tokens that are left.',
  low_value: 'The chunk limit was reached, or filling ended before this candidate was tried.',
  text_missing: 'Its payload holds no text under a known field.',
} as const

/** A step that could not do its work. The request is answered without it. */
export const DEGRADATIONS = {
  no_query_text: 'The search came without query text: no reranker and no intent.',
  query_header_malformed: 'The header `x-stowage-query` is not percent-encoded UTF-8.',
  tokenizer_mapped: 'The model is unknown; tokens are counted with the encoding that the detail names.',
  embedder_unavailable: 'No embedder is loaded; only the keyword list is searched.',
  embedder_failed: 'The query could not be embedded; only the keyword list is searched.',
  list_missing: 'The collection could not serve one of the lists; the detail says which and why.',
  reranker_unavailable: 'The plan asks for a reranker and none is loaded.',
  reranker_failed: 'The reranker failed; candidates keep their fused order.',
  rerank_partial: 'The reranking deadline came first; the detail says how many candidates were scored.',
  neighbours_unavailable: 'Neighbouring chunks could not be fetched.',
  nothing_fits: 'The budget is too small for any chunk; the context is empty.',
} as const

/** Why a request went to Qdrant untouched. */
export const PASSTHROUGH_REASONS = {
  route: 'stowage does not improve this route.',
  off: 'Improving is switched off.',
  loop: 'The request had already passed through stowage. It is refused with 502.',
  body_too_large: 'The body is longer than stowage buffers.',
  body_not_json: 'The body is compressed, is not UTF-8, or is not declared as JSON.',
  query_not_understood: 'The search has a shape or a key that stowage does not improve.',
  upstream_refused: 'Qdrant refused the improved search.',
  upstream_unreachable: 'Qdrant could not be reached for the improved search.',
  upstream_malformed: 'Qdrant answered the improved search in an unexpected shape.',
  deadline: 'Improving took longer than its share of the deadline.',
  pipeline_failed: 'An unexpected fault of stowage; the log holds it.',
  nothing_chosen: 'The pipeline chose none of the points.',
} as const

/** The steps of the pipeline, in their order. */
export const STAGES = {
  intent: 'Detects the intent of the query by rules.',
  retrieve: 'Searches the dense and the keyword list.',
  fuse: 'Merges the lists into one candidate per point, with one value from its scores or ranks.',
  dedupe: 'Drops candidates at the same place or with near-verbatim text.',
  rerank: 'Blends the relevance of the reranker into the values.',
  answerability: 'Adds a bonus to text that looks like an answer to the intent.',
  reunify: 'Spreads value to neighbours in a section and fetches those that are missing.',
  diversify: 'Orders by MMR and cuts to `rerank.topK`.',
  pack: 'Fills the token budget and applies the caps.',
} as const

/** Error codes of `/v1/` routes with their HTTP status. */
export const ERRORS = {
  bad_request: { status: 400, meaning: 'A field is wrong; `details` names each field with its value.' },
  unauthorized: { status: 401, meaning: 'Qdrant refused the key, or no key was sent.' },
  forbidden: { status: 403, meaning: 'The key does not allow this.' },
  collection_not_found: { status: 404, meaning: 'Qdrant has no collection of this name.' },
  not_found: { status: 404, meaning: 'There is nothing at this path or under this id.' },
  payload_too_large: { status: 413, meaning: 'The body is longer than the limit.' },
  unprocessable: { status: 422, meaning: 'The request is valid, but does not fit the data.' },
  too_many_requests: { status: 429, meaning: 'Qdrant or a model endpoint asks to wait; see `retry-after`.' },
  internal: { status: 500, meaning: 'A fault of stowage; the log holds it under the request id.' },
  upstream_error: { status: 502, meaning: 'Qdrant failed, or its answer was not understood.' },
  upstream_unavailable: { status: 503, meaning: 'No connection to Qdrant could be made.' },
  upstream_timeout: { status: 504, meaning: 'Qdrant or a model did not answer before the deadline.' },
} as const

export type DropReason = keyof typeof DROP_REASONS
export type DegradationCode = keyof typeof DEGRADATIONS
export type PassthroughReason = keyof typeof PASSTHROUGH_REASONS
export type StageName = keyof typeof STAGES
export type ErrorCode = keyof typeof ERRORS

/** The codes of a table in its order, for schemas. */
export function codesOf<Code extends string>(table: Readonly<Record<Code, unknown>>): [Code, ...Code[]] {
  return Object.keys(table) as [Code, ...Code[]]
}
