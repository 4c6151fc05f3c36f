import { messageOf } from '../../core/errors.ts'
import type { CountTokens, PassageParts } from '../../core/ports.ts'
import { type Steps, TimeUp } from '../../core/steps.ts'
import type { Candidate, Span } from '../../core/types.ts'
import { MOST_CUT } from '../../pack/select.ts'
import { SENTENCES_PER_STEP, sentencesToCut } from '../../pack/sentences/units.ts'
import { slicesOf } from '../../text/slices.ts'
import { startDeadline, WORKER_WAIT_SHARE } from '../deadline.ts'
import { type Pace, RANKING_GRACE_MS } from '../pacing/pace.ts'
import { reranks } from '../plan/derived.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord, SentenceMatch } from '../run-record.ts'
import { passageOf } from './passage.ts'
import type { RerankInput } from './rerank.ts'

/** Tokens of a source line and what stands around a block, nearly always less. */
const FRAME_TOKENS = 40
/** When more candidates fit, what is cut at the end is a small part of the context, and its sentences are not worth the time. */
const MOST_WHOLE = 4
/** No shipped reranker reads a longer chunk as a whole, in UTF-16 code units. */
const LONGEST_MATCHED = 6_000

/** Share of the deadline of the reranker. The words choose nearly as well, so a busy reranker is not waited for. */
const TIME_SHARE = 0.2

interface MatchInput extends RerankInput {
  count: CountTokens
}

/** How well the sentences of some candidates match the question, by the key of the candidate. */
type SentenceMatches = ReadonlyMap<string, readonly number[]>

/**
 * Asks the reranker how well the sentences of those candidates match that packing may cut. Without an answer packing chooses by the words of the question.
 * @param candidates in the order of filling
 */
export async function sentenceMatches(
  candidates: readonly Candidate[],
  { plan, query, reranker, tenant, count, signal, background }: MatchInput,
  record: RunRecord,
  pace: Pace,
): Promise<SentenceMatches> {
  if (query === null || !reranker?.matchParts || !reranks(plan) || !cutsByReranker(plan)) return new Map()
  const deadline = startDeadline(signal, TIME_SHARE * plan.rerank.deadlineMs, background?.after, background?.now)
  try {
    const asked = await pace.run(toAsk(candidates, plan, count), RANKING_GRACE_MS)
    if (asked.length === 0) return new Map()
    if (deadline.signal.aborted) throw new TimeUp()
    const waitMs = reranker.expectedWaitMs?.(tenant) ?? 0
    if (waitMs > deadline.remainingMs() * WORKER_WAIT_SHARE) throw new Error('the reranker is busy with earlier work')
    const passages = asked.map(({ passage }) => passage)
    const found = await reranker.matchParts({ query, passages, signal: deadline.signal, tenant })
    if (deadline.signal.aborted) throw new TimeUp()
    record.sentenceMatches = byCandidate(asked, found)
    return new Map([...record.sentenceMatches].map(([key, sentences]) => [key, sentences.map(({ match }) => match)]))
  } catch (error) {
    record.degrade('sentences_by_words', error instanceof TimeUp ? 'the deadline passed' : messageOf(error))
    return new Map()
  } finally {
    deadline.dispose()
  }
}

function cutsByReranker({ packing: { sentenceCut, sentenceChoice, overflow, mode } }: Plan): boolean {
  return sentenceCut && sentenceChoice === 'reranker' && overflow === 'skip' && mode === 'passage'
}

interface Asked {
  candidate: Candidate
  passage: PassageParts
}

/** What packing may cut, with the sentences of each. */
function* toAsk(candidates: readonly Candidate[], plan: Plan, count: CountTokens): Steps<Asked[]> {
  const asked: Asked[] = []
  for (const candidate of yield* toBeCut(candidates, plan, count)) {
    const { chunk } = candidate
    const text = passageOf(candidate)
    const before = text.length - chunk.text.length
    // A long section path can leave no room for the whole chunk.
    if (chunk.text.length > LONGEST_MATCHED || !text.endsWith(chunk.text)) continue
    const parts: Span[] = []
    for (const { start, end } of sentencesToCut(chunk)) {
      parts.push({ start: start + before, end: end + before })
      if (parts.length % SENTENCES_PER_STEP === 0) yield
    }
    asked.push({ candidate, passage: { text, parts } })
    yield
  }
  return asked
}

/** The best candidate when it seems not to fit, because it is cut at once; else the first that seem not to fit, unless more than four fit before. */
function* toBeCut(
  candidates: readonly Candidate[],
  { budgetTokens, maxChunks }: Plan,
  count: CountTokens,
): Steps<Candidate[]> {
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
    if (used + tokens > budgetTokens) cut.push(candidate)
    else {
      used += tokens
      whole++
    }
    if (cut.length === 0 && whole > MOST_WHOLE) return []
    if (cut.length > MOST_CUT || (cut.length > 0 && whole === 0) || whole === maxChunks) return cut
  }
  return cut
}

function byCandidate(
  asked: readonly Asked[],
  found: readonly (number[] | null)[],
): ReadonlyMap<string, readonly SentenceMatch[]> {
  return new Map(
    asked.flatMap(({ candidate, passage }, at) => {
      const matches = found[at]
      if (matches?.length !== passage.parts.length || !matches.every(Number.isFinite)) return []
      const before = passage.text.length - candidate.chunk.text.length
      const sentences = matches.map((match, part): SentenceMatch => {
        const { start, end } = passage.parts[part] as Span
        return { start: start - before, end: end - before, match }
      })
      return [[candidate.key, sentences] as const]
    }),
  )
}
