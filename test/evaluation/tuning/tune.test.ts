import { describe, expect, it } from 'vitest'
import type { PlanArm } from '../../../src/evaluation/arms/arm.ts'
import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { splitOf } from '../../../src/evaluation/golden-set/split.ts'
import type { ReplayDependencies } from '../../../src/evaluation/replay/replay.ts'
import { isProven, tuneText } from '../../../src/evaluation/tuning/report.ts'
import { type TuneJob, tune } from '../../../src/evaluation/tuning/tune.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'
import { goldenQuery, goldSpan, replayRun } from '../support/golden.ts'

const TEXT = 'the pump lifts nineteen spans. the valve closes at dusk. the lamp burns all night.'
const GOLD = TEXT.slice(0, 30)

/** A world in which a run finds the gold passage of a query or not. */
function world(finds: (plan: Plan, id: string) => boolean) {
  const asked: { id: string; plan: Plan }[] = []
  const dependencies: ReplayDependencies = {
    embedder: null,
    reranker: null,
    countTokens: text => text.split(/\s+/u).length,
    prepare: async () => ({
      chunks: 1,
      embedder: null,
      run: async ({ id }, arm, budgets) => {
        if (arm.kind !== 'plan') throw new Error('no server here')
        asked.push({ id, plan: arm.plan })
        return budgets.map(() => replayRun(finds(arm.plan, id) ? GOLD : 'nothing of use'))
      },
      close: async () => {},
    }),
  }
  return { asked, dependencies }
}

const set = (name: string, queries = 60): GoldenSet => ({
  name,
  documents: [{ docId: 'd', title: 'D', text: TEXT }],
  queries: Array.from({ length: queries }, (_, index) => goldenQuery(`${name}-${index}`, [goldSpan(TEXT, 0, 30)])),
  corpusHash: 'c',
  hash: name,
})
const start: PlanArm = { kind: 'plan', name: 'measured', plan: NAMED_PLANS.measured }
const job = (changes: Partial<TuneJob> = {}): TuneJob => ({
  sets: [set('one')],
  start,
  measure: 'recall',
  values: ['packing.mode', 'rerank.blend', 'packing.noveltyAlpha'],
  trials: 12,
  seed: 3,
  trainShare: 0.5,
  budgets: [50],
  chunkTokens: 200,
  cacheFolder: 'unused',
  onProgress: () => {},
  ...changes,
})
const isTrain = (id: string) => splitOf({ id, split: null }, 0.5) === 'train'
const number = (id: string) => Number(id.split('-')[1])
/** Sentences find three of four, passages every second one. */
const sentencesHelp = (plan: Plan, id: string) => number(id) % (plan.packing.mode === 'sentence' ? 4 : 2) > 0

describe('tuning', () => {
  it('finds a value that helps, drops the changes that do nothing, and proves it on the other half', async () => {
    const { dependencies } = world(sentencesHelp)
    const report = await tune(job(), dependencies)
    expect(report.best?.changes).toEqual({ 'packing.mode': 'sentence' })
    expect(isProven(report)).toBe(true)
    expect(tuneText(report)).toMatch(/The plan improves the held-out half: answer recall, % \+\d.*\* \[\+\d/)
    expect(tuneText(report)).toContain('"packing.mode": "sentence"')
  })

  it('never shows the search a query of the held-out half', async () => {
    const { asked, dependencies } = world(sentencesHelp)
    await tune(job(), dependencies)
    const plans = new Map<string, Set<string>>()
    for (const { id, plan } of asked) plans.set(id, (plans.get(id) ?? new Set()).add(JSON.stringify(plan)))
    for (const [id, ofQuery] of plans) if (!isTrain(id)) expect(ofQuery.size).toBe(2)
    expect([...plans.keys()].filter(isTrain).length).toBeGreaterThan(10)
  })

  it('says that a plan which only fits the train half is no improvement', async () => {
    const { dependencies } = world((plan, id) => (isTrain(id) ? sentencesHelp(plan, id) : number(id) % 2 > 0))
    const report = await tune(job(), dependencies)
    expect(report.best?.changes).toEqual({ 'packing.mode': 'sentence' })
    expect(isProven(report)).toBe(false)
    expect(tuneText(report)).toMatch(/shows no improvement on the held-out half: .*; keep measured\./)
  })

  it('keeps the start plan when nothing is better', async () => {
    const { dependencies } = world((_, id) => number(id) % 2 > 0)
    const report = await tune(job(), dependencies)
    expect(report.best).toBeNull()
    expect(tuneText(report)).toMatch(/No plan is better than measured on the train half .*: keep measured\./)
  })

  it('gives equal results for equal jobs, and weighs sets alike', async () => {
    const sets = [set('one'), set('two', 20)]
    const results = []
    for (let run = 0; run < 2; run++)
      results.push(tuneText(await tune(job({ sets }), world(sentencesHelp).dependencies)))
    expect(results[0]).toBe(results[1])
    expect(results[0]).toContain('answer recall, % of two')
  })

  it('improves measures of which less is better', async () => {
    const { dependencies } = world((plan, id) => sentencesHelp(plan, id))
    const report = await tune(job({ measure: 'garbage' }), dependencies)
    expect(report.best?.changes).toEqual({ 'packing.mode': 'sentence' })
    expect(tuneText(report)).toMatch(/The plan improves the held-out half: garbage.* -\d/)
  })

  it('refuses a part without queries', async () => {
    const { dependencies } = world(sentencesHelp)
    const queries = set('one').queries.map(query => ({ ...query, split: 'train' as const }))
    await expect(tune(job({ sets: [{ ...set('one'), queries }] }), dependencies)).rejects.toThrow(
      /the held-out part has fewer than 2 queries/,
    )
  })
})
