import { firstPlace, mostFrequent } from '../../core/collections.ts'
import { placeKey } from '../../core/keys.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate, Dropped } from '../../core/types.ts'
import { codeLanguageOf } from '../../text/code/file-language.ts'
import { roundedSimilarity } from '../../text/similarity.ts'
import { joinOf } from '../join.ts'
import { sectionOf, type Unit } from '../unit.ts'
import { keptSentences, LEAST_WORDS, MARKED_PER_STEP } from './kept-sentences.ts'
import { type OutlinedSentence, outlineOf } from './outline.ts'

/** Where a packed sentence is not packed again: nowhere, in its section, or in the whole context. */
export const REPETITION_SCOPES = ['off', 'section', 'context'] as const
export type RepetitionScope = (typeof REPETITION_SCOPES)[number]

/** What of a unit is not packed yet. */
interface Fresh {
  /** In reading order; none when nothing of substance is left. */
  parts: readonly Unit[]
  /** For no parts: the candidate that holds most of the unit, and the share of its words that are packed. */
  evidence: Dropped['evidence']
  /** Keys of the candidates that hold what was left out. */
  holders: ReadonlySet<string>
}

/** The outlined sentences of a candidate that are whole in a unit. */
interface Range {
  sentences: readonly OutlinedSentence[]
  /** See `numbersOf`. */
  numbers: readonly number[]
  /** Place of the first one in the outline. */
  first: number
}

/** Above the number of different sentences of a request, so that two of their numbers make one. */
const PAIR = 2 ** 26

/**
 * The sentences that are packed, so that they are not packed again. Two sentences are equal when they have the same form (see
 * `sentenceForm`) and so has what they cannot be read without: an item of a list under another line is another item. Shorter ones than
 * five words are left out only in a run of repeated sentences that stand together in the packed text, too. All work is linear in the text.
 */
export class PackedSentences {
  private readonly scope: RepetitionScope
  private readonly forms = new Map<string, number>()
  /** Numbers of sentences by the number of what they depend on and the number of their form. */
  private readonly numbers = new Map<number, number>()
  private readonly outlined = new Map<string, Omit<Range, 'first'>>()
  /** The candidate of each packed sentence, by the number of the sentence. */
  private readonly holders = new Map<number, string>()
  /** Pairs of packed sentences that stand together. */
  private readonly pairs = new Set<number>()
  /** The first and the last packed unit of each chunk whose place is known. */
  private readonly ends = new Map<string, { first: Unit; last: Unit }>()

  constructor(scope: RepetitionScope) {
    this.scope = scope
  }

  /** The parts of a unit that are not packed yet, with what they cannot be read without. They are units of the same candidate. */
  *freshParts(unit: Unit): Steps<Fresh> {
    const whole: Fresh = { parts: [unit], evidence: {}, holders: new Set() }
    if (this.scope === 'off') return whole
    const range = yield* this.rangeOf(unit)
    const isCounted = this.countedIn(unit)
    const isRepeated = yield* this.repeatedIn(range, isCounted)
    if (isRepeated === null) return whole
    const { sentences, numbers, first } = range
    const holdersOf = (places: Iterable<number>) => [...places].flatMap(at => this.holders.get(numbers[at] ?? -1) ?? [])
    const isFresh = (sentence: OutlinedSentence, at: number) =>
      !isRepeated[at] &&
      !sentence.isLead &&
      sentence.words > 0 &&
      isCounted(sentence) &&
      !this.holders.has(numbers[at] ?? -1)
    if (!sentences.some(isFresh) && !hasMore(unit, sentences)) {
      const words = sentences.reduce((sum, sentence) => sum + sentence.words, 0)
      const packed = sentences.reduce((sum, sentence, at) => sum + (isRepeated[at] ? sentence.words : 0), 0)
      return {
        parts: [],
        evidence: { of: mostFrequent(holdersOf(sentences.keys()))?.[0], similarity: roundedSimilarity(packed / words) },
        holders: new Set(),
      }
    }
    const kept = yield* keptSentences(sentences, isRepeated, first)
    const left = [...sentences.keys()].filter(at => !kept[at])
    return { parts: partsOf(unit, sentences, kept), evidence: {}, holders: new Set(holdersOf(left)) }
  }

  /** Notes that the parts of a unit are packed. */
  *add(parts: readonly Unit[]): Steps<void> {
    if (this.scope === 'off') return
    for (const part of parts) {
      const { numbers } = yield* this.rangeOf(part)
      for (const [at, number] of numbers.entries()) {
        if (at % MARKED_PER_STEP === 0) yield
        if (!this.holders.has(number)) this.holders.set(number, part.candidate.key)
        if (at > 0) this.pairs.add((numbers[at - 1] ?? 0) * PAIR + number)
      }
      this.addEnds(part)
    }
  }

  /** Marks the repeated sentences that can be left out with 1; null when there are none. */
  private *repeatedIn(
    { sentences, numbers }: Range,
    isCounted: (sentence: OutlinedSentence) => boolean,
  ): Steps<Uint8Array | null> {
    const isRepeated = new Uint8Array(sentences.length)
    const own = new Set<number>()
    const ownPairs = new Set<number>()
    const pairAt = (at: number) => (numbers[at - 1] ?? 0) * PAIR + (numbers[at] ?? 0)
    let found = false
    let run = { start: 0, words: 0 }
    /** Ends the run of known sentences before `end`: it is left out when it is long, and else kept. */
    const endRun = (end: number) => {
      if (run.words >= LEAST_WORDS) {
        found = true
        isRepeated.fill(1, run.start, end)
      } else for (let at = run.start; at < end; at++) if (at > 0 && !isRepeated[at - 1]) ownPairs.add(pairAt(at))
    }
    for (const [at, sentence] of sentences.entries()) {
      if (at % MARKED_PER_STEP === 0) yield
      const number = numbers[at] ?? 0
      const isKnown = (this.holders.has(number) || own.has(number)) && isCounted(sentence)
      const goesOn = run.start < at && isKnown && (this.pairs.has(pairAt(at)) || ownPairs.has(pairAt(at)))
      if (!goesOn) {
        endRun(at)
        run = { start: isKnown ? at : at + 1, words: 0 }
      }
      if (isKnown) run.words += sentence.words
      else {
        own.add(number)
        if (at > 0 && !isRepeated[at - 1]) ownPairs.add(pairAt(at))
      }
    }
    endRun(sentences.length)
    return found ? isRepeated : null
  }

  /**
   * Says which sentences of a unit can be repeated. The overlap of neighbouring chunks is not: they are joined without it. Neither is a line at
   * the end of a unit that leads to the rest of the chunk.
   */
  private countedIn(unit: Unit): (sentence: OutlinedSentence) => boolean {
    const { chunk } = unit.candidate
    const { orderIndex, text } = chunk
    if (orderIndex === null) return ({ isLead, end }) => !(isLead && end === unit.end && end < text.length)
    const before = this.ends.get(placeKey({ ...chunk, orderIndex: orderIndex - 1 }))?.last
    const after = this.ends.get(placeKey({ ...chunk, orderIndex: orderIndex + 1 }))?.first
    const from = (before && joinOf(before, unit)?.overlap) ?? 0
    const to = text.length - ((after && joinOf(unit, after)?.overlap) ?? 0)
    return ({ isLead, start, end }) => start >= from && end <= to && !(isLead && end === unit.end && end < text.length)
  }

  private addEnds(part: Unit): void {
    const { chunk } = part.candidate
    if (chunk.orderIndex === null) return
    const key = placeKey(chunk)
    const { first, last } = this.ends.get(key) ?? { first: part, last: part }
    this.ends.set(key, { first: part.start < first.start ? part : first, last: part.end > last.end ? part : last })
  }

  private *rangeOf(unit: Unit): Steps<Range> {
    const { sentences, numbers } = yield* this.outlineOf(unit.candidate)
    const first = placeFrom(sentences, unit.start)
    const last = placeFrom(sentences, unit.end)
    // A sentence that begins in the unit and ends behind it is not whole.
    const end = (sentences[last - 1]?.end ?? 0) > unit.end ? last - 1 : last
    if (first === 0 && end === sentences.length) return { sentences, numbers, first }
    return { sentences: sentences.slice(first, end), numbers: numbers.slice(first, end), first }
  }

  private *outlineOf(candidate: Candidate): Steps<Omit<Range, 'first'>> {
    const known = this.outlined.get(candidate.key)
    if (known) return known
    // The same lines of another file of code, or below another key, are no repetition. So what two chunks of a file share stays twice, unless they join.
    const sentences = codeLanguageOf(candidate.chunk) === null ? yield* outlineOf(candidate.chunk.text) : []
    const outlined = { sentences, numbers: yield* this.numbersOf(candidate, sentences) }
    this.outlined.set(candidate.key, outlined)
    return outlined
  }

  /** Numbers that are equal for equal sentences: equal in form, in what they depend on, and in the scope. */
  private *numbersOf(candidate: Candidate, sentences: readonly OutlinedSentence[]): Steps<number[]> {
    const scope = this.scope === 'section' ? sectionOf({ candidate }) : ''
    const root = -1 - numberIn(this.forms, `\n${scope}`)
    const numbers: number[] = []
    for (const [at, { form, lead }] of sentences.entries()) {
      if (at % MARKED_PER_STEP === 0) yield
      const key = (lead < 0 ? root : (numbers[lead] ?? root)) * PAIR + numberIn(this.forms, form)
      numbers.push(numberIn(this.numbers, key))
    }
    return numbers
  }
}

/** The number of a key: numbers count the different keys from 0. */
function numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key)
  if (known !== undefined) return known
  numbers.set(key, numbers.size)
  return numbers.size - 1
}

/** Place of the first sentence that begins at an offset or behind it. */
function placeFrom(sentences: readonly OutlinedSentence[], offset: number): number {
  return firstPlace(sentences.length, at => (sentences[at]?.start ?? 0) >= offset)
}

/** Whether a unit has text before or behind its whole sentences. */
function hasMore({ candidate, start, end }: Unit, sentences: readonly OutlinedSentence[]): boolean {
  const { text } = candidate.chunk
  const [first, last] = [sentences[0], sentences.at(-1)]
  if (!first || !last) return true
  return text.slice(start, first.start).trim() !== '' || text.slice(last.end, end).trim() !== ''
}

/** The ranges of a unit without the sentences that are not kept. Text before and behind its sentences stays. */
function partsOf(unit: Unit, sentences: readonly OutlinedSentence[], kept: Uint8Array): Unit[] {
  const parts: Unit[] = []
  let start = unit.start
  const endPart = (end: number) => {
    if (unit.candidate.chunk.text.slice(start, end).trim() !== '') parts.push({ ...unit, start, end })
  }
  for (const [at, sentence] of sentences.entries()) {
    if (kept[at]) continue
    endPart(sentence.start)
    start = sentence.end
  }
  endPart(unit.end)
  return parts
}
