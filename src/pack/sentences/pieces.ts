import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { endsParagraph } from '../../text/sentences/ends.ts'
import { splitSentences } from '../../text/sentences/sentences.ts'
import type { CostModel } from '../cost.ts'
import { type Unit, unitOf } from '../unit.ts'
import { codeLinesOf } from './code-lines.ts'
import { rowPartsOf } from './row-parts.ts'
import { type CutSentence, MOST_OF_CHUNK, SENTENCES_PER_STEP, sentencesToCut } from './units.ts'

/** The names of the columns, and the line below them. */
export const HEAD_ROWS = 2
/** At most so many tokens for a gap mark. */
export const GAP_TOKENS = 4

/** A sentence, or a part of one that does not fit as a whole, with what packed neighbours do not hold of it. */
export interface Piece {
  sentence: CutSentence
  /** Place of the whole sentence. */
  index: number
  /** Place of the part in its sentence, and the number of parts; 0 of 1 for what is not cut. */
  part: number
  parts: number
  start: number
  end: number
}

/** The sentences of a chunk in reading order. Of those that do not fit, fenced code is cut into its lines, and a row of a table or a statement into its sentences. @param room in tokens */
export function* piecesOf(candidate: Candidate, room: number, cost: CostModel): Steps<Piece[]> {
  const fresh = cost.freshRangeOf(candidate)
  const pieces: Piece[] = []
  let index = -1
  let head: CutSentence[] = []
  for (const sentence of sentencesToCut(candidate.chunk)) {
    index++
    const isFresh = sentence.start >= fresh.start && sentence.end <= fresh.end
    const cut = isFresh ? cutOf(sentence, head) : null
    const above = cut === rowPartsOf ? [unitOver(candidate, head)] : []
    const gap = GAP_TOKENS * above.length
    const isTooLong = cut !== null && sum(yield* cost.costsOf([...above, unitOver(candidate, [sentence])])) + gap > room
    const found = isTooLong ? cut(sentence, candidate.chunk.text.slice(0, sentence.start)) : []
    const parts = found.length > 0 && pieces.length + found.length <= MOST_OF_CHUNK ? found : [sentence]
    for (const [part, own] of parts.entries()) {
      const start = Math.max(own.start, fresh.start)
      pieces.push({ sentence: own, index, part, parts: parts.length, start, end: Math.min(own.end, fresh.end) })
    }
    head = headBehind(sentence, head)
    if (index % SENTENCES_PER_STEP === 0) yield
  }
  return pieces
}

/** How a sentence is cut that does not fit; null when it stays whole. */
function cutOf(
  sentence: CutSentence,
  head: readonly CutSentence[],
): ((sentence: CutSentence, before: string) => CutSentence[]) | null {
  if (sentence.kind === 'code') return codeLinesOf
  if (sentence.kind === 'statement') return sentencesOfStatement
  return isBody(sentence, head) ? rowPartsOf : null
}

/** The sentences of a statement, such as a value of settings that is a long text; none where it has only one. */
function sentencesOfStatement({ text, start }: CutSentence): CutSentence[] {
  const sentences = splitSentences(text)
  return sentences.length === 1
    ? []
    : sentences.map(own => ({ ...own, start: start + own.start, end: start + own.end }))
}

const isBody = ({ kind }: CutSentence, head: readonly CutSentence[]) => kind === 'row' && head.length === HEAD_ROWS

/** The first rows of the table that goes on behind a sentence. */
function headBehind(sentence: CutSentence, head: CutSentence[]): CutSentence[] {
  if (sentence.kind !== 'row' || endsParagraph(sentence.text)) return []
  return head.length < HEAD_ROWS ? [...head, sentence] : head
}

function unitOver(candidate: Candidate, sentences: readonly CutSentence[]): Unit {
  return unitOf(candidate, sentences[0]?.start ?? 0, sentences.at(-1)?.end ?? 0)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
