import { prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate, Span } from '../../core/types.ts'
import { candidateBm25 } from '../../text/candidate-bm25.ts'
import { type CodeEvidence, codeLanguageOf } from '../../text/code/file-language.ts'
import { isCode } from '../../text/code/is-code.ts'
import { statementsOf } from '../../text/code/statements.ts'
import { endsParagraph } from '../../text/sentences/ends.ts'
import { type Sentence, sentencesOf } from '../../text/sentences/sentences.ts'
import { isTableRule } from '../../text/sentences/table-row.ts'
import type { Unit } from '../unit.ts'
import { blankComments } from './comments.ts'

/** Largest share that the match of a sentence adds to the value of its chunk (packing experiment). */
const SENTENCE_SHARE = 0.1
/** Longest start of a chunk that is split, in UTF-16 code units: about 30,000 tokens. A usual passage has less than 5,000. */
export const LONGEST_SPLIT = 131_072
/** Most sentences of one chunk, and of all chunks together. A usual passage has less than 100, a pool of them less than 5,000. */
export const MOST_OF_CHUNK = 5_000
const MOST_SENTENCES = 20_000
/** Splitting a sentence takes about 10 µs. */
export const SENTENCES_PER_STEP = 50

/** A sentence, or a statement of source code. */
export interface CutSentence extends Pick<Sentence, 'text' | 'start' | 'end'> {
  kind: Sentence['kind'] | 'statement'
  /** Whether a statement says nothing without what follows; absent for sentences. */
  opens?: boolean
}

/** The sentences of a chunk that packing chooses from when it cuts it, of source code its statements: all of them, unless the chunk is very long. */
export function* sentencesToCut(chunk: CodeEvidence): Generator<CutSentence> {
  const start = prefixOf(chunk.text, LONGEST_SPLIT)
  const isOfCode = codeLanguageOf(chunk) !== null || isCode(start)
  let sentences = 0
  for (const sentence of isOfCode ? statementsToCut(start) : sentencesOf(start)) {
    if (sentences++ >= MOST_OF_CHUNK) return
    yield sentence
  }
}

function statementsToCut(text: string): CutSentence[] {
  return statementsOf(text).map(({ start, end, opens }) => {
    return { text: text.slice(start, end), start, end, kind: 'statement', opens }
  })
}

/**
 * Splits candidates into sentences, best first; equal values stay in reading order. The value is that of the chunk plus .1 times
 * the BM25 of the sentence for the query, scaled to [0,1] over these sentences. Comments of HTML, the end of a very long chunk, and the chunks after
 * 20,000 sentences, are left out.
 */
export function* sentenceUnits(candidates: readonly Candidate[], query: string | null): Steps<Unit[]> {
  const sentences: (Unit & { text: string })[] = []
  for (const candidate of candidates) {
    const most = Math.min(MOST_SENTENCES, sentences.length + MOST_OF_CHUNK)
    if (sentences.length >= most) break
    const all = prefixOf(candidate.chunk.text, LONGEST_SPLIT)
    const shown = blankComments(all)
    for (const { text, start, end, head } of withTableHeads(sentencesOf(all))) {
      if (shown.slice(start, end).trim() !== '' && end > (candidate.textStart ?? 0))
        sentences.push({ candidate, text, start, end, value: candidate.value, head })
      if (sentences.length % SENTENCES_PER_STEP === 0) yield
      if (sentences.length >= most) break
    }
    yield
  }
  const texts = sentences.map(({ text }) => text)
  const scores = query === null ? [] : yield* candidateBm25(query, texts)
  const top = scores.reduce((best, score) => Math.max(best, score), Number.MIN_VALUE)
  return sentences
    .map(({ text: _text, value, ...unit }, index) => ({
      ...unit,
      value: value + (SENTENCE_SHARE * (scores[index] ?? 0)) / top,
    }))
    .sort((a, b) => b.value - a.value)
}

/** The sentences, of which the rows of a table have its head. A head is a sentence only where no row follows. */
function* withTableHeads(sentences: Iterable<Sentence>): Generator<Sentence & { head?: Span }> {
  /** The first row of a table, then its head, which waits for the next sentence. */
  let held = null as Sentence | null
  let head = null as Span | null
  let isInTable = false
  for (const sentence of sentences) {
    const isRow = sentence.kind === 'row'
    const goesOn = isInTable && isRow
    isInTable = isRow && !endsParagraph(sentence.text)
    if (held && !head && goesOn && isTableRule(sentence.text)) {
      held = { ...held, text: held.text + sentence.text, end: sentence.end }
      head = { start: held.start, end: held.end }
      continue
    }
    if (held && !(head && goesOn)) yield held
    if (!goesOn) head = null
    held = isRow && !goesOn ? sentence : null
    if (!held) yield head ? { ...sentence, head } : sentence
  }
  if (held) yield held
}
