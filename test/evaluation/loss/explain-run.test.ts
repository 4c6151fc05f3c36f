import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestFill } from '../../../src/evaluation/loss/best-fill.ts'
import { CandidateSet } from '../../../src/evaluation/loss/candidates.ts'
import { coverageByText } from '../../../src/evaluation/loss/coverage.ts'
import { createExplainRun } from '../../../src/evaluation/loss/explain-run.ts'
import type { RunLoss } from '../../../src/evaluation/loss/loss.ts'
import { LOSS_STEP_NAMES } from '../../../src/evaluation/loss/steps.ts'
import { type ConsideredText, measureRun } from '../../../src/evaluation/metrics/measure-run.ts'
import { QueryEvidence } from '../../../src/evaluation/metrics/query-evidence.ts'
import { goldenQuery, goldSpan, replayRun } from '../support/golden.ts'
import { countWords, type LossWorld, lossWorlds } from './support/loss-world.ts'

function explained({ query, texts, run, budget }: Pick<LossWorld, 'query' | 'texts' | 'run' | 'budget'>) {
  const measuring = { texts, countTokens: countWords }
  // The contexts here are as long as they are: that the replay cuts those over the budget is tested elsewhere.
  const { figures, found } = measureRun(run, 1_000_000, new QueryEvidence(query), measuring)
  const loss = createExplainRun(query, measuring)(run, budget, found)
  if (loss?.place == null) throw new Error('the run tells its candidates, and every place is known')
  return { figures, loss: { text: loss.text, place: loss.place } satisfies RunLoss, found }
}

/** The share of a gold passage in a text, by brute force: words in common runs of five, or in the whole gold passage when it is shorter. */
function marksInText(gold: readonly string[], words: readonly string[]): boolean[] {
  const run = Math.min(5, gold.length)
  const marks = gold.map(() => false)
  for (let start = 0; start + run <= gold.length; start++)
    for (let at = 0; at + run <= words.length; at++)
      if (gold.slice(start, start + run).join() === words.slice(at, at + run).join())
        for (let offset = 0; offset < run; offset++) marks[start + offset] = true
  return marks
}

const areNeighbours = (first: ConsideredText, second: ConsideredText) =>
  first.docId === second.docId && second.orderIndex === (first.orderIndex ?? -9) + 1

/** The texts of candidates, alone and with the neighbour that follows. */
function textsOf(candidates: readonly ConsideredText[]): string[] {
  return candidates.flatMap(first => [
    first.text,
    ...candidates.filter(second => areNeighbours(first, second)).map(second => `${first.text} ${second.text}`),
  ])
}

function naiveHolds(world: LossWorld, rule: 'text' | 'place', gold: number, candidates: readonly ConsideredText[]) {
  const passage = world.query.goldPassages[gold]
  const words = passage?.text.split(' ') ?? []
  const held = words.map(() => false)
  if (rule === 'text')
    for (const text of textsOf(candidates))
      for (const [at, mark] of marksInText(words, text.split(' ')).entries()) held[at] ||= mark
  else
    for (const [at, { index }] of [...(passage?.text.matchAll(/\S+/gu) ?? [])].entries()) {
      const from = (passage?.place?.start ?? 0) + index
      const to = from + (words[at]?.length ?? 0)
      held[at] = candidates.some(
        ({ docId, place }) =>
          docId === passage?.place?.docId && place !== null && place.start <= from && to <= place.end,
      )
    }
  return held.filter(Boolean).length / words.length >= 0.9
}

const without = (candidates: readonly ConsideredText[], reasons: readonly string[]) =>
  candidates.filter(({ reason }) => reason === null || !reasons.includes(reason))
const FILTERS = ['rerank_cut', 'redundant', 'below_threshold', 'text_missing']
const PACKING_STEPS = ['too_large', 'no_room', 'capped', 'ranked_low', 'in_part']

describe('the losses of a run', () => {
  it.each(['text', 'place'] as const)(
    'has every gold passage at the one step that a naive reading gives, by %s',
    rule => {
      const seen = new Set<string>()
      fc.assert(
        fc.property(lossWorlds, world => {
          const { candidates, query } = world
          const { loss, found } = explained(world)
          expect(loss[rule].golds).toHaveLength(query.goldPassages.length)
          for (const [gold, { step, share }] of loss[rule].golds.entries()) {
            seen.add(step)
            expect(share).toBe(found[rule]?.[gold])
            const isHeldBy = (some: readonly ConsideredText[]) => naiveHolds(world, rule, gold, some)
            const expected =
              share >= 0.9
                ? 'found'
                : !isHeldBy(candidates)
                  ? 'not_retrieved'
                  : !isHeldBy(without(candidates, ['duplicate']))
                    ? 'duplicate'
                    : !isHeldBy(without(candidates, ['duplicate', 'below_pool']))
                      ? 'below_pool'
                      : !isHeldBy(without(candidates, ['duplicate', 'below_pool', ...FILTERS]))
                        ? 'filtered'
                        : 'packing'
            expect(PACKING_STEPS.includes(step) ? 'packing' : step).toBe(expected)
          }
        }),
        { numRuns: 60 },
      )
      expect([...seen].sort()).toEqual(
        expect.arrayContaining(['below_pool', 'duplicate', 'filtered', 'found', 'in_part']),
      )
    },
  )

  it('tells the steps of packing apart by what is packed, by caps, and by the room', () => {
    fc.assert(
      fc.property(lossWorlds, world => {
        const { loss } = explained(world)
        const reached = without(world.candidates, ['duplicate', 'below_pool', ...FILTERS])
        for (const [gold, { step, holder }] of loss.text.golds.entries()) {
          const words = world.query.goldPassages[gold]?.text.split(' ') ?? []
          const isMarked = (some: string) => marksInText(words, some.split(' ')).includes(true)
          const parts = reached.filter(one =>
            reached.some(
              other =>
                isMarked(one.text) ||
                (areNeighbours(one, other) && isMarked(`${one.text} ${other.text}`)) ||
                (areNeighbours(other, one) && isMarked(`${other.text} ${one.text}`)),
            ),
          )
          if (step === 'in_part') expect(parts.some(({ reason }) => reason === null)).toBe(true)
          if (step === 'ranked_low')
            expect(
              naiveHolds(
                world,
                'text',
                gold,
                world.candidates.filter(({ reason }) => reason === null),
              ),
            ).toBe(false)
          if (step === 'capped') expect(parts.some(({ isCapped }) => isCapped)).toBe(true)
          if (step === 'no_room')
            expect(parts.reduce((sum, { text }) => sum + countWords(text), 0) * loss.text.golds.length).toBeGreaterThan(
              world.budget,
            )
          if (PACKING_STEPS.includes(step)) expect(parts.map(({ id }) => id)).toContain(holder?.id)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('agrees with answer recall, and a larger set of candidates fills a budget no worse', () => {
    fc.assert(
      fc.property(lossWorlds, world => {
        const { loss, figures } = explained(world)
        const shareOf = (some: RunLoss['text']) =>
          some.golds.filter(({ step }) => step === 'found').length / some.golds.length
        expect(shareOf(loss.text)).toBe(figures.measures.recall)
        expect(shareOf(loss.place)).toBe(figures.measures.place_recall)
        for (const { oracle, golds } of [loss.text, loss.place])
          if (golds.length === 1) expect(oracle.pool).toBeLessThanOrEqual(oracle.lists)
      }),
      { numRuns: 60 },
    )
  })

  const pumpText = 'the pump lifts nineteen spans of water'
  const lampText = 'lamp burns all night long'
  const text = `${pumpText} while the ${lampText}`
  const spanOf = (part: string) => [text.indexOf(part), text.indexOf(part) + part.length] as const
  const query = goldenQuery('q', [goldSpan(text, ...spanOf(pumpText)), goldSpan(text, ...spanOf(lampText))])
  const candidate = (part: string, changes: Partial<ConsideredText> = {}): ConsideredText => {
    const [start, end] = spanOf(part)
    const known = { id: part.slice(0, 8), docId: 'd', text: part, origin: 'retrieved', orderIndex: null } as const
    return { ...known, place: { start, end }, reason: null, rank: 1, isCapped: false, ...changes }
  }
  const stepsOf = (context: string, candidates: ConsideredText[], budget: number) => {
    const run = replayRun(context, { spans: [], candidates: () => candidates })
    const { loss } = explained({ query, texts: new Map([['d', text]]), run, budget })
    return loss.text.golds.map(({ step, holder }) => [step, holder?.id, holder?.rank, holder?.reason])
  }

  it('counts a gold passage that only a fetched neighbour holds, and names the candidate that decided', () => {
    const pump = candidate(pumpText, { origin: 'neighbour' })
    expect(stepsOf(pumpText, [pump], 20)).toEqual([
      ['found', 'the pump', 1, null],
      ['not_retrieved', undefined, undefined, undefined],
    ])
    const late = { ...pump, reason: 'over_budget' as const, rank: 7 }
    const firstStep = (changes: Partial<ConsideredText>, budget = 20) =>
      stepsOf('', [{ ...late, ...changes }], budget)[0]
    expect(firstStep({})).toEqual(['ranked_low', 'the pump', 7, 'over_budget'])
    expect(firstStep({}, 4)?.[0]).toBe('too_large')
    expect(firstStep({ reason: 'doc_cap', isCapped: true })?.[0]).toBe('capped')
    expect(firstStep({ reason: null })?.[0]).toBe('in_part')
    expect(firstStep({ reason: 'below_pool', rank: 51 })).toEqual(['below_pool', 'the pump', 51, 'below_pool'])
  })

  it('has no room for the longer of two gold passages that do not fit together', () => {
    const both = [candidate(pumpText, { reason: 'low_value' }), candidate(lampText, { reason: 'low_value', rank: 2 })]
    const steps = (budget: number) => stepsOf('', both, budget).map(([step]) => step)
    expect(steps(12)).toEqual(['ranked_low', 'ranked_low'])
    expect(steps(11)).toEqual(['no_room', 'ranked_low'])
    expect(steps(1)).toEqual(['too_large', 'too_large'])
  })

  it('takes the words of two neighbours together when a run begins in one and ends in the other', () => {
    const first = candidate('the pump lifts nineteen', { orderIndex: 3 })
    const second = candidate('spans of water', { orderIndex: 4 })
    expect(stepsOf('', [first, second], 20)[0]?.[0]).toBe('in_part')
    expect(stepsOf('', [first, { ...second, orderIndex: 5 }], 20)[0]?.[0]).toBe('not_retrieved')
  })

  it('fills a budget with gold passages that fit, and never with more than an exhaustive search finds', () => {
    fc.assert(
      fc.property(lossWorlds, ({ candidates, query, budget }) => {
        const coverage = coverageByText(query.goldPassages)
        const set = new CandidateSet(candidates, coverage)
        const { held, fitting } = bestFill(set, coverage, budget, countWords)
        const golds = query.goldPassages.flatMap((_, gold) => (set.holds(gold) ? [gold] : []))
        /** Words of all excerpts, each once. */
        const costOf = (some: readonly number[]) =>
          candidates.reduce((sum, candidate) => {
            const excerpts = some.flatMap(gold =>
              set.coverOf(gold).includes(candidate) ? (coverage.excerptOf(candidate, gold) ?? []) : [],
            )
            const words = [...candidate.text.matchAll(/\S+/gu)].map(({ index }) => index)
            return sum + words.filter(at => excerpts.some(({ start, end }) => start <= at && at < end)).length
          }, 0)
        const subsets = Array.from({ length: 2 ** golds.length }, (_, bits) =>
          golds.filter((_, at) => bits & (1 << at)),
        )
        const most = Math.max(...subsets.filter(some => costOf(some) <= budget).map(({ length }) => length))
        expect([...fitting].sort()).toEqual(golds.filter(gold => costOf([gold]) <= budget))
        expect(costOf([...held])).toBeLessThanOrEqual(budget)
        expect(held.size).toBeLessThanOrEqual(most)
        expect(held.size > 0).toBe(most > 0)
      }),
      { numRuns: 60 },
    )
  })

  it('knows the steps of the table only', () => {
    expect(new Set(LOSS_STEP_NAMES).size).toBe(10)
    expect(LOSS_STEP_NAMES.at(-1)).toBe('found')
  })
})
