/** All codes in answers, headers, traces and metrics, each with one sentence. Types, schemas and pages of `docs/` use these tables. */

/** Reasons why a candidate is not in the context. */
export const DROP_REASONS = {
  duplicate: 'A better candidate has the same place or the same text.',
  below_pool: 'Its rank after fusion is outside the pool (`retrieval.pool`).',
  rerank_cut: 'It is not among the first `rerank.topK` candidates after reranking.',
  redundant: 'MMR preferred candidates that are less similar to those already chosen.',
  doc_cap: 'The document already has as many chunks as the cap allows.',
  section_cap: 'The section already has as many chunks as the cap allows.',
  over_budget: 'It needs more tokens than are left.',
  deadline: 'The deadline passed before it was tried.',
  low_value: 'The chunk limit was reached, or filling ended before this candidate was tried.',
  text_missing: 'Its payload has no text under a known field.',
} as const

/** Steps that could not do their work. The request is answered without them. */
export const DEGRADATIONS = {
  no_query_text: 'The search has no query text, so there is no reranking and no intent.',
  query_header_malformed: 'The header `x-stowage-query` is not percent-encoded UTF-8.',
  tokenizer_mapped: 'The model is unknown; the detail names the encoding that counts the tokens.',
  embedder_unavailable: 'No embedder is loaded; only the keyword list is searched.',
  embedder_failed:
    'The query could not be embedded, or not in its share of the deadline; only the keyword list is searched.',
  no_search_terms: 'The query has only stop words, and there is no query vector; nothing was searched.',
  list_missing: 'The collection cannot serve one of the lists; the detail names the list and the reason.',
  reranker_unavailable: 'The plan uses a reranker, but none is loaded.',
  rerank_skipped: 'Too many requests wait for the reranker, or for their turn; candidates keep their fused order.',
  reranker_failed: 'The reranker failed; candidates keep their fused order.',
  rerank_partial: 'Reranking reached its deadline; the detail counts the scored candidates.',
  ranking_partial: 'The deadline passed while candidates were ranked; the detail names the steps that were left out.',
  packing_partial: 'The deadline passed while the budget was filled; the context holds what was packed until then.',
  neighbours_unavailable: 'Neighbouring chunks could not be fetched.',
  nothing_fits: 'The budget is too small for any chunk; the context is empty.',
} as const

/** Reasons why a request is forwarded to Qdrant unchanged. */
export const PASSTHROUGH_REASONS = {
  route: 'stowage does not improve this route.',
  off: 'Improving is switched off.',
  loop: 'The request has already passed through stowage; it is refused with 502.',
  body_too_large: 'The body is longer than stowage buffers.',
  body_not_json: 'The body is compressed, is not UTF-8, or is not declared as JSON.',
  query_not_understood: 'The search has a shape or a key that stowage does not improve.',
  upstream_refused: 'Qdrant refused the improved search.',
  upstream_unreachable: 'Qdrant could not be reached for the improved search.',
  upstream_malformed: 'Qdrant answered the improved search in an unexpected shape.',
  busy: 'So many searches are being improved that one more would make all of them late.',
  hedged: "Qdrant was slow, so the client's own request was sent beside the improved search and answered first.",
  improving_paused:
    'Improving pauses for this collection, because Qdrant was slow or answered only the original requests; it is tried again from time to time.',
  deadline: 'Improving took longer than its share of the deadline.',
  pipeline_failed: 'An unexpected error in stowage; see the log.',
  no_passage_text: 'None of the points of a search has text under a known field, so there is nothing to choose by.',
  nothing_chosen: 'The pipeline chose none of the points.',
} as const

/** What the ingestion guard finds in upserts to managed collections. */
export const UPSERT_FAULTS = {
  embedder_version: 'Points have no `embedder_version`, or another one than the points of the collection.',
  payload_field: 'A payload field is missing, or its value is of the wrong kind.',
  body_too_large: 'The body, or what its content coding stands for, is longer than stowage checks.',
  body_unreadable: 'The content coding of the body cannot be undone.',
  unchecked: 'Qdrant could not be asked about the collection, or the guard failed; the request goes on.',
} as const

/** What rolls an experiment back to the control. Each is judged against the requests of the control in the same time. */
export const ROLLBACK_TRIGGERS = {
  error_rate: 'The share of failed requests is higher by at least 1 percentage point.',
  latency: 'The 95th percentile of the seconds of the pipeline is higher by at least 20 %.',
  recall_proxy: 'The mean recall proxy is lower by at least 5 percentage points.',
} as const

/** How a shadow run can end. */
export const SHADOW_OUTCOMES = {
  compared: 'It ran to its end, and its trace is stored.',
  failed: 'It failed, or took too long.',
  dropped: 'Too many others waited, or stowage was busy with requests of clients.',
} as const

/** What a comparison of two arms on golden queries says. */
export const EFFECT_VERDICTS = {
  helps: 'The interval of the difference is above 0, and the adjusted p value is below .05.',
  hurts: 'The interval of the difference is below 0, and the adjusted p value is below .05.',
  unproven: 'Neither can be said. This does not prove that there is no difference.',
} as const

/** What `stowage golden check` finds in golden sets, and what to do about it. Errors make figures wrong; warnings make them doubtful. */
export const GOLDEN_FINDINGS = {
  unreadable: {
    severity: 'error',
    meaning: 'A row, or a file of the set, cannot be read.',
    advice: 'Mend the row as the message says.',
  },
  equal_ids: {
    severity: 'error',
    meaning: 'Two rows have the same id.',
    advice: 'Give one of them another id.',
  },
  gold_missing: {
    severity: 'error',
    meaning: 'A gold passage is not, or is no longer, in the documents or the collection.',
    advice: 'Mark the passage again, or remove the gold.',
  },
  gold_changed: {
    severity: 'warning',
    meaning: 'Where a gold passage was marked stands a changed text.',
    advice: 'Look whether it still answers the question, and update `text`.',
  },
  gold_without_words: {
    severity: 'error',
    meaning: 'A gold passage has no words, so no context can hold it.',
    advice: 'Mark the passage again.',
  },
  gold_overlap: {
    severity: 'warning',
    meaning: 'Two gold passages of one question overlap or repeat, so the same words count twice.',
    advice: 'Join them, or remove one.',
  },
  gold_too_long: {
    severity: 'warning',
    meaning: 'A gold passage has more tokens than the largest budget, so it is never found.',
    advice: 'Mark a shorter passage, or replay with a larger budget.',
  },
  answer_not_in_gold: {
    severity: 'warning',
    meaning: 'Much of the answer is not in its gold passages.',
    advice: 'Mark the passages that hold the answer, or correct the answer.',
  },
  equal_questions: {
    severity: 'warning',
    meaning: 'Two queries ask the same question, so it counts twice.',
    advice: 'Remove one, and keep the gold passages of both.',
  },
  similar_questions: {
    severity: 'warning',
    meaning: 'Two queries ask nearly the same question, so it counts nearly twice.',
    advice: 'Keep both only when their answers differ.',
  },
  leaked_question: {
    severity: 'error',
    meaning: 'Training and test ask the same question, or nearly the same.',
    advice: 'Put both into one half with the field `split`.',
  },
  leaked_gold: {
    severity: 'error',
    meaning: 'Training and test have the same gold passage.',
    advice: 'Put all questions of a passage into one half with the field `split`.',
  },
  nothing_passes: {
    severity: 'error',
    meaning: 'No document passes the filter and the tenant of a query.',
    advice: 'Correct `filter` or `tenant`.',
  },
  gold_filtered_out: {
    severity: 'error',
    meaning: 'A gold passage does not pass the filter and the tenant of its query.',
    advice: 'Correct `filter` or `tenant`, or mark a passage that passes.',
  },
} as const

/** The stages of the pipeline, in order. */
export const STAGES = {
  intent: 'Detects the intent of the query by rules.',
  retrieve: 'Searches the dense and the keyword list.',
  fuse: 'Merges the lists into one candidate per point, with one value from its scores or ranks.',
  dedupe: 'Drops candidates at the same place or with near-verbatim text.',
  rerank: 'Blends the relevance of the reranker into the values.',
  answerability: 'Adds a bonus to text that looks like an answer to the intent.',
  reunify: 'Raises the values of neighbours in a section and fetches missing neighbours.',
  diversify: 'Orders by MMR and cuts to `rerank.topK`.',
  pack: 'Fills the token budget and applies the caps.',
} as const

/** Error codes of the routes under `/v1/`. */
export const ERRORS = {
  bad_request: { status: 400, meaning: 'A field is wrong; `details` names each field with its value.' },
  unauthorized: { status: 401, meaning: 'Qdrant refused the key, or no key was sent.' },
  forbidden: { status: 403, meaning: 'The key does not allow this.' },
  collection_not_found: { status: 404, meaning: 'Qdrant has no collection of this name.' },
  not_found: { status: 404, meaning: 'There is nothing at this path or under this id.' },
  request_timeout: { status: 408, meaning: 'The client sent nothing for a minute in the middle of its body.' },
  payload_too_large: { status: 413, meaning: 'The body is longer than the limit.' },
  unprocessable: { status: 422, meaning: 'The request is valid, but does not fit the data.' },
  too_many_requests: {
    status: 429,
    meaning: 'The tenant has reached a limit, or Qdrant or a model endpoint asks to wait; see `retry-after`.',
  },
  internal: { status: 500, meaning: 'An unexpected error in stowage; the log has it under the request id.' },
  upstream_error: { status: 502, meaning: 'Qdrant failed, or stowage cannot read its answer.' },
  upstream_unavailable: { status: 503, meaning: 'stowage cannot connect to Qdrant.' },
  overloaded: { status: 503, meaning: 'More requests wait than stowage can answer in time; see `retry-after`.' },
  upstream_timeout: { status: 504, meaning: 'Qdrant or a model did not answer before the deadline.' },
} as const

export type DropReason = keyof typeof DROP_REASONS
export type DegradationCode = keyof typeof DEGRADATIONS
export type PassthroughReason = keyof typeof PASSTHROUGH_REASONS
export type UpsertFaultCode = keyof typeof UPSERT_FAULTS
export type RollbackTrigger = keyof typeof ROLLBACK_TRIGGERS
export type ShadowOutcome = keyof typeof SHADOW_OUTCOMES
export type EffectVerdict = keyof typeof EFFECT_VERDICTS
export type GoldenFinding = keyof typeof GOLDEN_FINDINGS
export type StageName = keyof typeof STAGES
export type ErrorCode = keyof typeof ERRORS

/** Lists the codes of a table in order, for schemas. */
export function codesOf<Code extends string>(table: Readonly<Record<Code, unknown>>): [Code, ...Code[]] {
  return Object.keys(table) as [Code, ...Code[]]
}
