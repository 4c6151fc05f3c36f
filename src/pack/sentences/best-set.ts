import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { endsLine } from '../../text/sentences/ends.ts'
import type { CostModel } from '../cost.ts'
import { type Unit, unitOf } from '../unit.ts'
import {
  footOf,
  headOf,
  headTokens,
  idfOf,
  type MeasuredSentence,
  measureSentences,
  saysSomething,
  wordMatch,
} from './measured.ts'
import { GAP_TOKENS } from './pieces.ts'
import { bestSubset, type Item } from './subset.ts'
import { SENTENCES_PER_STEP } from './units.ts'
import { announcedParts, sharedOut } from './worth/announced.ts'
import { entryGains } from './worth/entry-gains.ts'
import { proceduresOf, STEP_GAIN, sharedInProcedures } from './worth/procedures.ts'

/** Weight of the words beside the match of the reranker, in logits per unit of BM25. Fitted by likelihood on 9,471 written questions (decision 86). */
const WORDS_WEIGHT = 0.37
/** What fenced code loses, in logits: it is long and has the names that are asked for, so it matches better than the sentence beside it that answers (decision 108). */
const CODE_DISCOUNT = 0.7
/** Share of the probability of a sentence that each of its neighbours gains, because answers go on in the next one. */
const NEIGHBOUR_SHARE = 0.15
/** Share that what follows gains from a sentence that says nothing without it, such as "For Pelican, use:". */
const OPENING_SHARE = 0.5
/** What a gap costs, because a text with fewer gaps reads better. */
const GAP_PRICE = 0.06
/** The same in source code and beside the steps of a procedure, which are hard to follow with gaps. */
const ORDER_GAP_PRICE = 0.2
/** What a run loses that begins within a procedure, behind its first step. */
const LATER_STEP_PRICE = 0.4
/** What a run gains that begins with a paragraph other than the first of its chunk, or ends with one. */
const BORDER_BONUS = 0.03
/** A section whose title is a question. */
const ASKS = /[?？؟]["'”’»)\]*_`]{0,4}$/u

/**
 * The sentences of a chunk that fit into `room` and hold the answer most likely, for a chunk that does not fit as a whole. A row of a table comes with the head of
 * the table; no run of sentences ends with one that says nothing without what follows, or begins with signs alone.
 *
 * The probability of a sentence is the softmax of `match + .37 · Σ idf(t) · n(t) · (K1 + 1) / (n(t) + K1)`, less .7 for fenced code, and what an entry gains that the question names (`entryGains`). The head of a table gives it to the rows, and the lead-in of a list half of it to the
 * items (`sharedOut`). Each gives .15 of it to both neighbours, another lead-in or a heading .5 to what follows, and a heading has none itself: the source line shows it.
 * Where the question asks how something is done, the sentences of a procedure gain 3 and have their mean (`proceduresOf`), and a run that begins behind its first step loses .4.
 * Where the title of the section is a question, the sentence below it gets .5 of what the title has among them, because an answer begins there. Of all sets of sentences that fit, the one with the largest sum is chosen, less .06 for each gap (.2 in source code and beside steps), and .03 more
 * for each end of a run that is one of a paragraph (`bestSubset`). What packed neighbours hold of the chunk is left out.
 *
 * @param matches of all sentences of the chunk with the question, as logits
 * @param room in tokens
 * @param asksForSteps whether the question asks how something is done
 * @returns sentences in reading order that fit together; none when not a single one fits
 */
export function* bestSentences(
  candidate: Candidate,
  query: string | null,
  matches: readonly number[],
  room: number,
  cost: CostModel,
  asksForSteps = false,
): Steps<Unit[]> {
  const { sentences, title, queryTerms } = yield* measureSentences(candidate, query, room, cost)
  const gains = yield* entryGains(sentences, candidate.chunk.text, query ?? '')
  const asked = ASKS.test(candidate.chunk.sectionPath) ? title : null
  const procedures = asksForSteps ? proceduresOf(sentences, candidate.chunk.text) : []
  for (const place of procedures.flat()) gains[place] = (gains[place] ?? 0) + STEP_GAIN
  const likely = probabilities(sentences, asked, matches, gains, queryTerms)
  const worth = worthOf(sentences, sharedInProcedures(likely, procedures))
  const frame = yield* cost.costOf(unitOf(candidate, 0, 0))
  const items = yield* itemsOf(sentences, worth, candidate, cost)
  for (const place of procedures.flatMap(([, ...rest]) => rest)) {
    const item = items[place]
    if (item) item.beginBonus -= LATER_STEP_PRICE
  }
  const isInOrder = procedures.length > 0 || sentences.some(({ kind }) => kind === 'statement')
  const price = isInOrder ? ORDER_GAP_PRICE : GAP_PRICE
  for (let left = room - frame; ; ) {
    const chosen = yield* bestSubset(items, left, { tokens: GAP_TOKENS, price })
    const units = withHeads(chosen, sentences).map(({ start, end }) => unitOf(candidate, start, end))
    const excess = (yield* cost.costsOf(units)).reduce((sum, own) => sum + own, -room)
    if (excess <= 0) return units
    left -= excess
    yield
  }
}

/** The sentences as items of a knapsack, with the tokens that the cost model charges. */
function* itemsOf(
  sentences: readonly MeasuredSentence[],
  worth: readonly number[],
  { chunk: { text } }: Candidate,
  cost: CostModel,
): Steps<Item[]> {
  const items: Item[] = []
  const heads = new Set(sentences.map(({ head }) => head[0]))
  for (const [at, sentence] of sentences.entries()) {
    const { start, end, opens, beginsParagraph, endsParagraph, head } = sentence
    const before = sentences[at - 1]
    // A space in a line is a part of the next word's token.
    const joined = before && !endsLine(text.slice(before.start, before.end)) ? 1 : 0
    const own = text.slice(start, end).trim()
    const tokens = 1 + (yield* cost.tokensOf(own))
    const beginBonus = beginsParagraph ? BORDER_BONUS : 0
    items.push({
      worth: worth[at] ?? 0,
      tokens: tokens - joined,
      headTokens: joined + headTokens(sentence, sentences),
      frame: head[0] ?? (heads.has(at) ? at : null),
      opens,
      beginBonus: saysSomething(own) ? beginBonus : Number.NEGATIVE_INFINITY,
      endBonus: endsParagraph ? BORDER_BONUS : 0,
    })
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  return items
}

/** How likely each sentence holds the answer. @param asked the title of the section, where it is a question */
function probabilities(
  sentences: readonly MeasuredSentence[],
  asked: Pick<MeasuredSentence, 'index' | 'counts'> | null,
  matches: readonly number[],
  gains: readonly number[],
  terms: number,
): number[] {
  const idf = idfOf(sentences, terms)
  const logitOf = ({ index, counts }: Pick<MeasuredSentence, 'index' | 'counts'>) =>
    (matches[index] ?? Number.NEGATIVE_INFINITY) + WORDS_WEIGHT * wordMatch(counts, idf)
  const logits = sentences.map(sentence => {
    const { place, kind, share } = sentence
    return logitOf(sentence) - (kind === 'code' ? CODE_DISCOUNT : 0) + (gains[place] ?? 0) + Math.log(share)
  })
  const best = logits.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY)
  if (best === Number.NEGATIVE_INFINITY) return sentences.map(() => 0)
  const odds = logits.map(logit => Math.exp(logit - best))
  const sum = odds.reduce((total, own) => total + own, 0)
  const ofTitle = asked === null ? 0 : 1 / (1 + sum * Math.exp(best - logitOf(asked)))
  return odds.map((own, at) => own / sum + (at === 0 ? OPENING_SHARE * ofTitle : 0))
}

function worthOf(sentences: readonly MeasuredSentence[], probabilities: readonly number[]): number[] {
  const announced = announcedParts(sentences)
  const own = sharedOut(probabilities, sentences, announced)
  return own.map((value, at) => {
    const [before = 0, after = 0] = [own[at - 1], own[at + 1]]
    const ownValue = sentences[at]?.isHeading ? 0 : value
    const isOpened = sentences[at - 1]?.opens && !announced.has(at - 1)
    return ownValue + NEIGHBOUR_SHARE * (before + after) + (isOpened ? OPENING_SHARE * before : 0)
  })
}

/** The sentences with the heads of their tables and the fences of their code, each once, in reading order. Fences without a line are left out. */
function withHeads(places: ReadonlySet<number>, sentences: readonly MeasuredSentence[]): MeasuredSentence[] {
  const all = new Map<number, MeasuredSentence>()
  for (const sentence of sentences.filter(({ place, share }) => places.has(place) && share > 0)) {
    for (const one of [...headOf(sentence, sentences), sentence, ...footOf(sentence, sentences)])
      all.set(one.place, one)
  }
  return [...all.values()].sort((a, b) => a.place - b.place)
}
