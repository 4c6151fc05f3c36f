import type { CountTokens } from '../core/ports.ts'
import { longestPrefixInSteps, prefixOf } from '../core/prefix.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate } from '../core/types.ts'
import { inOneLine } from '../text/printable.ts'
import { splitSentences } from '../text/sentences/sentences.ts'
import type { Unit } from './unit.ts'

/** Most tokens of a context line. */
const MOST_TOKENS = 30
/** Longest start of a context that is split, in UTF-16 code units. */
const LONGEST_SPLIT = 2_000

/** The context lines of candidates, by their keys. Candidates without a context have none. */
export type ContextLines = ReadonlyMap<string, string>
export const NO_CONTEXT_LINES: ContextLines = new Map()

/** The first sentence of each context in one line, cut after a word where it has more than 30 tokens. */
export function* contextLinesOf(candidates: readonly Candidate[], count: CountTokens): Steps<ContextLines> {
  const lines = new Map<string, string>()
  for (const { key, chunk } of candidates) {
    const [sentence] = splitSentences(prefixOf(chunk.context ?? '', LONGEST_SPLIT))
    const line = inOneLine(sentence?.text ?? '')
    if (line !== '') lines.set(key, yield* shortened(line, count))
    yield
  }
  return lines
}

/** The line before a unit that begins a run of joined units; '' without one, and when the run goes on with the chunk of the one before. */
export function lineBefore(previous: Unit | undefined, next: Unit, lines: ContextLines): string {
  const { key } = next.candidate
  return previous?.candidate.key === key ? '' : (lines.get(key) ?? '')
}

function* shortened(line: string, count: CountTokens): Steps<string> {
  if ((yield* count(line)) <= MOST_TOKENS) return line
  const fitting = yield* longestPrefixInSteps(line, function* fits(prefix) {
    return (yield* count(`${prefix} …`)) <= MOST_TOKENS
  })
  const space = fitting.lastIndexOf(' ')
  return `${space > 0 ? fitting.slice(0, space) : fitting} …`
}
