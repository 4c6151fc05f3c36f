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
  span_without_text: {
    severity: 'warning',
    meaning:
      'A span of a document in a collection, or of a file with CRLF or a byte order mark, has no `text`, so a shift of its offsets is not noticed.',
    advice:
      'Add the `text` that answers. Ingestion leaves out front matter and anchors, and reading makes CRLF one character, so offsets in a file can be others.',
  },
  gold_without_words: {
    severity: 'error',
    meaning: 'A gold passage has no words, so no context can hold it.',
    advice: 'Mark the passage again.',
  },
  gold_empty: {
    severity: 'warning',
    meaning:
      'A judgement of a BEIR folder names a document without text. It is left out, and so is a question without another one.',
    advice: 'Nothing, when the set was published so.',
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

export type GoldenFinding = keyof typeof GOLDEN_FINDINGS

/** What is wrong with a golden set, at one place of it. */
export interface GoldenFault {
  code: GoldenFinding
  /** `queries.jsonl:12`. */
  place: string
  /** Field, reason and value. */
  text: string
}
