import type { CountTokens, Reranker } from '../../core/ports.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { MOST_CUT } from '../../pack/select.ts'
import { sentencesToCut } from '../../pack/sentences/units.ts'
import { slicesOf } from '../../text/slices.ts'
import { startDeadline, WORKER_WAIT_SHARE } from '../deadline.ts'
import { type Pace, RANKING_GRACE_MS } from '../pacing/pace.ts'
import { reranks } from '../plan/derived.ts'
import type { Plan } from '../plan/plan.ts'
import type { RankAndPackInput } from '../rank-and-pack.ts'
import type { RunRecord } from '../run-record.ts'
import { passageOf } from './passage.ts'

/** Tokens of a source line and what stands around a block, nearly always less. */
const FRAME_TOKENS = 40
/** When more candidates fit, what is cut at the end is a small part of the context, and its sentences are not worth the time. */
const MOST_WHOLE = 4
/** No shipped reranker reads a longer chunk as a whole, in UTF-16 code units. */
const LONGEST_MATCHED = 6_000

/** Share of the deadline of the reranker. The words choose nearly as well, so a busy reranker is not waited for. */
const TIME_SHARE = 0.2

/** How well the sentences of some candidates match the question, by the key of the candidate. */
export type SentenceMatches = ReadonlyMap<string, readonly number[]>

/**
 * Asks the reranker how well the sentences of those candidates match that packing may cut. Without an answer packing chooses by the words of the question.
 * @param candidates in the order of filling
 */
export async function sentenceMatches(
  candidates: readonly Candidate[],
  { plan, query, reranker, tenant, count, signal, background }: RankAndPackInput,
  record: RunRecord,
  pace: Pace,
): Promise<SentenceMatches> {
  if (query === null || !reranker?.matchParts || !reranks(plan) || !cutsByReranker(plan)) return new Map()
  const cut = await pace.run(toBeCut(candidates, plan.budgetTokens, count), RANKING_GRACE_MS)
  if (cut.length === 0) return new Map()
  const deadline = startDeadline(signal, TIME_SHARE * plan.rerank.deadlineMs, background?.after, background?.now)
  try {
    const waitMs = reranker.expectedWaitMs?.(tenant) ?? 0
    if (waitMs > deadline.remainingMs() * WORKER_WAIT_SHARE) throw new Error('too many requests wait')
    const matches = await matchSentences(cut, query, reranker.matchParts, { signal: deadline.signal, tenant })
    if (deadline.signal.aborted) throw new Error('the deadline passed')
    return matches
  } catch (error) {
    record.degrade('sentences_by_words', error instanceof Error ? error.message : String(error))
    return new Map()
  } finally {
    deadline.dispose()
  }
}

function cutsByReranker({ packing: { sentenceCut, sentenceChoice, overflow, mode } }: Plan): boolean {
  return sentenceCut && sentenceChoice === 'reranker' && overflow === 'skip' && mode === 'passage'
}

/** The first candidates that seem not to fit; none when more than four fit before. */
function* toBeCut(candidates: readonly Candidate[], budgetTokens: number, count: CountTokens): Steps<Candidate[]> {
  const cut: Candidate[] = []
  let whole = 0
  let used = 0
  for (const candidate of candidates) {
    let tokens = FRAME_TOKENS
    for (const slice of slicesOf(candidate.chunk.text)) {
      if (used + tokens > budgetTokens) break
      tokens += yield* count(slice)
      yield
    }
    const isLong = candidate.chunk.text.length > LONGEST_MATCHED
    if (used + tokens > budgetTokens) cut.push(...(isLong ? [] : [candidate]))
    else {
      used += tokens
      whole++
    }
    if (whole > MOST_WHOLE) return []
    if (cut.length > MOST_CUT) return cut
  }
  return cut
}

async function matchSentences(
  candidates: readonly Candidate[],
  query: string,
  matchParts: NonNullable<Reranker['matchParts']>,
  call: { signal: AbortSignal; tenant: string | null },
): Promise<SentenceMatches> {
  const passages = candidates.map(({ chunk }) => {
    const text = passageOf(chunk)
    const before = text.length - chunk.text.length
    const parts = [...sentencesToCut(chunk)].map(({ start, end }) => ({ start: start + before, end: end + before }))
    return { text, parts: before < 0 ? [] : parts }
  })
  const found = await matchParts({ query, passages, ...call })
  return new Map(
    candidates.flatMap(({ key }, at) => {
      const matches = found[at]
      const isWhole = matches?.length === passages[at]?.parts.length && matches?.every(Number.isFinite)
      return matches && matches.length > 0 && isWhole ? [[key, matches] as const] : []
    }),
  )
}
