/** All codes in answers, headers, traces and metrics, each with one sentence. Types, schemas and pages of `docs/` use these tables. */

/** Reasons why a candidate is not in the context. */
export const DROP_REASONS = {
  duplicate: 'A better candidate has the same place or the same text, or all of its sentences are packed already.',
  below_pool:
    'Its rank after fusion is outside the pool (`retrieval.pool`, or `retrieval.tokensPerCandidate` for a large budget).',
  rerank_cut: 'It is not among the first `rerank.topK` candidates after reranking.',
  redundant: 'MMR preferred candidates that are less similar to those already chosen.',
  doc_cap: 'The document already has as many chunks as the cap allows.',
  section_cap: 'The section already has as many chunks as the cap allows.',
  over_budget: 'It needs more tokens than are left.',
  below_threshold: 'Its relevance is below `min_relevance` of the request, or `packing.minRelevance` of the plan.',
  filler: 'It hardly answers the question, and the context is filled with relevant chunks only (`fill`).',
  deadline: 'The deadline passed before it was tried.',
  low_value: 'The chunk limit was reached, or filling ended before this candidate was tried.',
  text_missing: 'Its payload has no text under a known field.',
  replaced_by_parent: 'Its text is in the context as a part of its parent, which the evidence names.',
} as const

/** Steps that could not do their work. The request is answered without them. */
export const DEGRADATIONS = {
  no_query_text: 'The search has no query text, so there is no reranking and no intent.',
  query_header_malformed: 'The header `x-stowage-query` is not percent-encoded UTF-8.',
  question_unknown:
    'The vector of the search was not embedded through the embedding relay in the last minutes, or stands for several questions, so the question is not known.',
  tokenizer_mapped: 'The model is unknown; the detail names the encoding that counts the tokens.',
  embedder_unavailable: 'No embedder is loaded; only the keyword list is searched.',
  embedder_failed:
    'The query could not be embedded, or not in its share of the deadline; only the keyword list is searched.',
  no_search_terms:
    'The query is white space or has no words but stop words, and there is no query vector; nothing was searched.',
  spelling_not_corrected:
    'The spelling of the question could not be corrected in time, or the search by the corrected question failed or lacked a list, so what the question found as it is was used.',
  named_documents_not_searched:
    'The documents that the question names could not be searched in time, or that search failed, so what the question found first was used.',
  reads_limited:
    'Qdrant limits the reads of the collection, or has not said that it does not, so neither the documents that the question names nor neighbours were read beside the search.',
  mode_unavailable:
    'The asked list is not there or found nothing, so the other one was searched; the detail names the reason.',
  list_missing:
    'The collection cannot serve one of the lists; the detail names the list and the reason. A collection without sparse vectors that its dense list searches is no such case.',
  collection_unsearched:
    'No list of a collection could be searched, or the query does not fit its dense vectors; the detail names the collection.',
  no_passage_text:
    'None of the points that a collection found has text under a known field; the detail names the collection. `MAPPINGS` says where its text is.',
  reranker_unavailable: 'The plan uses a reranker, but none is loaded.',
  rerank_language_unread:
    'The reranker was not made for the language of the question or of most passages, such as German for the one that ships, which reads English; candidates are ordered without it.',
  rerank_skipped:
    'The reranker is too busy with earlier work, or too many requests wait for their turn; candidates are ordered without it.',
  reranker_failed: 'The reranker failed; candidates are ordered without it.',
  rerank_shallow:
    'The reranker is busy with earlier work, so fewer candidates than `rerank.depth` are scored; the detail counts them.',
  rerank_partial: 'Reranking reached its deadline; the detail counts the scored candidates.',
  sentences_by_words:
    'The reranker could not say which sentences of a chunk match, so the words of the question chose what is packed of it.',
  ranking_partial: 'The deadline passed while candidates were ranked; the detail names the steps that were left out.',
  packing_partial: 'The deadline passed while the budget was filled; the context holds what was packed until then.',
  contexts_missing:
    'The plan searches chunks with contexts, but there is no such collection; the plain one was searched.',
  neighbours_unavailable: 'Neighbouring chunks could not be fetched.',
  parents_unavailable: 'Parents of chunks could not be fetched; the chunks themselves are packed.',
  nothing_fits: 'The budget is too small for any chunk; the context is empty.',
} as const

/** What the probability that the documents answer a question amounts to, the most likely first. */
export const VERDICTS = {
  in_documents:
    'The documents seem to answer the question: the probability is at least `verdict.inDocuments` of the plan, 0.75 by default.',
  uncertain:
    'It cannot be said: the probability is at least `verdict.uncertain` of the plan, 0.22 by default, or a part of the documents was not looked at.',
  not_in_documents: 'Nothing that was found seems to answer the question.',
} as const

/** What lowers the probability that the documents answer a question. */
export const ANSWERABLE_REASONS = {
  nothing_found: 'No passage was found.',
  reranker_missing: 'No passage has a score of the reranker, so the estimate rests on the words of the question alone.',
  top_score_low: 'The reranker finds no passage relevant: the best score is below 0.05.',
  no_passage_stands_out:
    'The best passage hardly scores more than the others: less than 2 above their lower quarter, in logits of the reranker.',
  no_keyword_match: 'No word of the question is in any of the passages.',
  few_keyword_matches: 'No passage has half of the words of the question.',
  degraded: 'A part of the documents was not looked at, or not closely; see `degraded`.',
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
  upstream_too_large:
    "Qdrant's answer to the improved search is longer than 64 MiB, which is the most that stowage reads.",
  upstream_malformed: 'Qdrant answered the improved search in an unexpected shape.',
  busy: 'So many searches are being improved that one more would make all of them late.',
  hedged: "Qdrant was slow, so the client's own request was sent beside the improved search and answered first.",
  improving_paused:
    'Improving pauses for this collection, because Qdrant was slow, answered only the original requests, or asked to wait (429); it is tried again from time to time.',
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

/** The stages of the pipeline, in order. */
export const STAGES = {
  intent: 'Detects the intent of the query by rules.',
  retrieve: 'Searches the dense and the keyword list.',
  spelling: 'Searches once more by the corrected question; only when words of it are corrected.',
  named_documents: 'Searches once more in the documents that the question names; only when it names some.',
  fuse: 'Merges the lists into one candidate per point, with one value from its scores or ranks.',
  dedupe: 'Drops candidates at the same place or with near-verbatim text.',
  rerank: 'Blends the relevance of the reranker into the values.',
  answerability:
    'Adds a bonus to text that looks like an answer to the intent, and takes one from a list of nothing but links.',
  reunify: 'Raises the values of neighbours in a section and fetches missing neighbours.',
  diversify: 'Orders by MMR and cuts to `rerank.topK`.',
  parents: 'Fetches parents of the candidates that fit the budget (`packing.parentExpansion`).',
  pack: 'Fills the token budget and applies the caps.',
} as const

/** Faults of a context that was written for a chunk, each with the sentence that tells a model what to do better. */
export const CONTEXT_FAULTS = {
  empty: { meaning: 'There is no text.', advice: 'Write a text.' },
  refusal: { meaning: 'The model refuses.', advice: 'Do not refuse; say only where the chunk stands in the document.' },
  markup: {
    meaning: 'It is JSON, or holds tags or Markdown.',
    advice: 'Write plain prose without JSON, tags or Markdown.',
  },
  meta_talk: {
    meaning: 'It talks to the reader, such as "Sure," or "The context is".',
    advice: 'Write the context and nothing else: no greeting, no label, no remark on the task.',
  },
  generic_opening: {
    meaning: 'It begins with words that fit every chunk, such as "This section discusses" or "Here is".',
    advice: 'Begin with the subject itself, by its name, not with words such as "This chunk" or "The document".',
  },
  too_short: { meaning: 'It has far fewer than 50 words.', advice: 'Write 50 to 100 words.' },
  too_long: { meaning: 'It has far more than 100 words.', advice: 'Write 50 to 100 words, not more.' },
  shares_nothing: {
    meaning: 'It shares no key term with the chunk.',
    advice: 'Name the subject of the chunk with the words of the chunk.',
  },
  adds_nothing: {
    meaning: 'It adds no term of the document that the chunk lacks.',
    advice:
      'Do not repeat the chunk; add what the rest of the document says about its subject, such as names and sections.',
  },
  invented: {
    meaning: 'It has names or numbers that are not in the document.',
    advice: 'Use only names and numbers that stand in the document.',
  },
  other_language: {
    meaning: 'It is in another language than the document.',
    advice: 'Write in the language of the document.',
  },
} as const

/** Why the context of the rules stands in the place of one by a model. */
export const CONTEXT_FALLBACKS = {
  low_quality: 'Both texts of the model failed the quality check.',
  rate_limited: 'The endpoint still asked to wait after all attempts.',
  endpoint_failed: 'The endpoint failed or could not be reached, after all attempts.',
  timeout: 'The endpoint did not answer in time.',
  unreadable: 'The answer broke off, was no JSON, or held no text.',
  rejected: 'The endpoint refused this one request, for example because it is too long.',
} as const

/** Error codes of the routes under `/v1/`. */
export const ERRORS = {
  bad_request: { status: 400, meaning: 'A field is wrong; `details` names each field with its value.' },
  unauthorized: {
    status: 401,
    meaning: 'No key was sent, or one that is not known. With tenants stowage itself refuses it, else Qdrant does.',
  },
  forbidden: { status: 403, meaning: 'The key does not allow this.' },
  collection_not_found: { status: 404, meaning: 'Qdrant has no collection of this name.' },
  not_found: { status: 404, meaning: 'There is nothing at this path or under this id.' },
  method_not_allowed: { status: 405, meaning: 'The path accepts another method; see `allow`.' },
  request_timeout: { status: 408, meaning: 'The client sent nothing for a minute in the middle of its body.' },
  payload_too_large: { status: 413, meaning: 'The body is longer than the limit.' },
  unprocessable: { status: 422, meaning: 'The request is valid, but does not fit the data.' },
  too_many_requests: {
    status: 429,
    meaning: 'The tenant has reached a limit, or Qdrant or a model endpoint asks to wait; see `retry-after`.',
  },
  internal: { status: 500, meaning: 'An unexpected error in stowage; the log has it under the request id.' },
  upstream_error: {
    status: 502,
    meaning: 'Qdrant or the endpoint of embeddings failed, or stowage cannot read its answer.',
  },
  upstream_unavailable: { status: 503, meaning: 'stowage cannot connect to Qdrant.' },
  overloaded: { status: 503, meaning: 'More requests wait than stowage can answer in time; see `retry-after`.' },
  upstream_timeout: { status: 504, meaning: 'Qdrant or a model did not answer in time.' },
} as const

export type DropReason = keyof typeof DROP_REASONS
export type DegradationCode = keyof typeof DEGRADATIONS
export type Verdict = keyof typeof VERDICTS
export type AnswerableReason = keyof typeof ANSWERABLE_REASONS
export type PassthroughReason = keyof typeof PASSTHROUGH_REASONS
export type UpsertFaultCode = keyof typeof UPSERT_FAULTS
export type RollbackTrigger = keyof typeof ROLLBACK_TRIGGERS
export type ShadowOutcome = keyof typeof SHADOW_OUTCOMES
export type EffectVerdict = keyof typeof EFFECT_VERDICTS
export type ContextFaultCode = keyof typeof CONTEXT_FAULTS
export type ContextFallback = keyof typeof CONTEXT_FALLBACKS
export type StageName = keyof typeof STAGES
export type ErrorCode = keyof typeof ERRORS

/** Lists the codes of a table in order, for schemas. */
export function codesOf<Code extends string>(table: Readonly<Record<Code, unknown>>): [Code, ...Code[]] {
  return Object.keys(table) as [Code, ...Code[]]
}
