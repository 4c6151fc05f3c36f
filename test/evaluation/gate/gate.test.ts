import { describe, expect, it } from 'vitest'
import type { PlanArm } from '../../../src/evaluation/arms/arm.ts'
import { baselineOf, parseBaseline, printBaseline } from '../../../src/evaluation/gate/baseline.ts'
import { judge } from '../../../src/evaluation/gate/judge.ts'
import { refuseOtherSetup } from '../../../src/evaluation/gate/setup.ts'
import { replay } from '../../../src/evaluation/replay/replay.ts'
import { gateMarkdown } from '../../../src/evaluation/report/gate/markdown.ts'
import { gateText } from '../../../src/evaluation/report/gate/text.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'
import { inventedJob, inventedSet, inventedWorld } from '../support/invented-world.ts'

/** Dedupe finds every third query, value fusion every fifth, expansion every twentieth. */
const finds = (query: number, { dedupe, fusion, reunification }: Plan) =>
  !(query % 3 === 0 && dedupe.containment === null) &&
  !(query % 5 === 1 && fusion.method === 'rrf') &&
  !(query % 20 === 2 && reunification.expansion === 0)

async function replayWith(
  overrides: PlanOverrides = {},
  { found = finds, queries = 60, change = {} }: { found?: typeof finds; queries?: number; change?: object } = {},
) {
  const arm: PlanArm = { kind: 'plan', name: 'measured', plan: overridePlan(NAMED_PLANS.measured, overrides) }
  const job = { ...inventedJob, sets: [inventedSet(queries)], arms: [arm], budgets: [20, 40] }
  return replay(job, inventedWorld(found, { change }))
}
const baseline = baselineOf(await replayWith(), ['goldens/invented'])
const worseOf = (result: ReturnType<typeof judge>) =>
  result.tests.filter(({ verdict }) => verdict === 'worse').map(({ measure, budget }) => `${measure} ${budget}`)

describe('the gate', () => {
  it('passes an unchanged tree ten times out of ten', async () => {
    for (let time = 0; time < 10; time++) {
      const result = judge(parseBaseline(printBaseline(baseline), 'file'), await replayWith())
      expect(result).toMatchObject({ passed: true, faults: [], planChanges: [] })
      expect(result.tests.every(({ difference }) => difference.mean === 0)).toBe(true)
    }
  })

  it.each([
    ['dedupe', { dedupe: { containment: null } }, 20],
    ['value fusion', { fusion: { method: 'rrf' as const } }, 12],
  ])(
    'catches %s when it is off, with the measures, the budgets and the queries that lost',
    async (_name, off, lost) => {
      const result = judge(baseline, await replayWith(off))
      expect(result.passed).toBe(false)
      expect(worseOf(result)).toEqual([
        ...['recall 20', 'recall 40', 'covered 20', 'covered 40'],
        ...['ndcg_at_10 20', 'ndcg_at_10 40'],
      ])
      expect(result.tests[0]).toMatchObject({ lost, won: 0 })
      expect(result.tests[0]?.most[0]).toMatchObject({ set: 'invented', before: 1, now: 0 })
      expect(result.planChanges).toHaveLength(1)
      const text = gateText(result, 'goldens/baseline.json')
      expect(text).toContain('gate failed: answer recall at 20 tokens is worse')
      expect(text).toMatch(/invented\/q\d+: 100\.0 → 0\.0 {2}query q/)
      expect(gateMarkdown(result, 'b.json', 'npm run gate')).toContain('## ❌ Golden queries')
    },
  )

  it('catches a packer that drops the best chunk', async () => {
    const result = judge(baseline, await replayWith({}, { found: query => query % 4 !== 0 }))
    expect(worseOf(result)).toContain('recall 20')
  })

  it('lets a change of three queries pass, and says which difference it could have seen', async () => {
    const result = judge(baseline, await replayWith({ reunification: { expansion: 0 } }))
    expect(result.passed).toBe(true)
    expect(result.tests[0]).toMatchObject({ lost: 3, verdict: 'unchanged' })
    expect(result.tests[0]?.smallestEffect).toBeGreaterThan(0.05)
    expect(gateText(result, 'f')).toContain('smallest differences that these queries would have shown')
  })

  it('says that figures are better, and how to keep them', async () => {
    const worse = baselineOf(await replayWith({ dedupe: { containment: null } }), ['invented'])
    const result = judge(worse, await replayWith())
    expect(result.passed).toBe(true)
    expect(gateText(result, 'b.json')).toMatch(
      /gate passed: .* better than the baseline: update it with --update-baseline b\.json/,
    )
  })

  it('fails without statistics for an overrun, more degraded runs, and a query that is gone', async () => {
    const faultsOf = async (options: Parameters<typeof replayWith>[1]) =>
      judge(baseline, await replayWith({}, options)).faults.join('\n')
    expect(await faultsOf({ queries: 58 })).toContain('queries of the baseline are gone: invented/q58, invented/q59')
    expect(await faultsOf({ change: { degraded: ['no_embedder'] } })).toBe('degraded runs grew from 0.0 % to 100.0 %')
    const long = { context: Array.from({ length: 30 }, () => 'word').join(' ') }
    expect(await faultsOf({ change: long })).toContain('invented/q0: a context is 10 tokens over its budget of 20')
  })

  it('refuses another setup, with each difference and the way to update', async () => {
    const arm: PlanArm = { kind: 'plan', name: 'measured', plan: NAMED_PLANS.measured }
    const job = { ...inventedJob, sets: [inventedSet(60)], arms: [arm], budgets: [20, 40] }
    const models = { embedder: 'fake-embedder', reranker: 'fake-reranker' }
    expect(() => refuseOtherSetup(baseline, job, models, 'b.json')).not.toThrow()
    const other = { ...job, sets: [inventedSet(61)] }
    expect(() => refuseOtherSetup(baseline, other, { ...models, reranker: null }, 'b.json')).toThrow(
      /golden sets: .*hash-invented-60.*hash-invented-61.*; reranker: "fake-reranker" in the baseline, null now\. Make a new one with: .*--update-baseline b\.json/,
    )
    expect(() => refuseOtherSetup(baseline, { ...job, sets: [] }, models, 'b.json')).toThrow(/golden sets/)
    for (const [change, fault] of [
      [{ arms: [{ ...arm, name: 'design' }] }, /arm: "measured" in the baseline, "design" now/],
      [{ budgets: [20] }, /budgets: \[20,40\] in the baseline, \[20\] now/],
      [{ chunkTokens: 50 }, /tokens of a chunk: 200 in the baseline, 50 now/],
    ] as const)
      expect(() => refuseOtherSetup(baseline, { ...job, ...change }, models, 'b.json')).toThrow(fault)
    expect(() => refuseOtherSetup(baseline, job, { ...models, embedder: null }, 'b.json')).toThrow(/embedder: /)
  })

  it('writes one line for each query, and reads only what it has written', () => {
    const printed = printBaseline(baseline)
    expect(printed.split('\n').filter(line => /^ {6}"q\d+": \[\[/u.test(line))).toHaveLength(60)
    expect(parseBaseline(printed, 'b.json')).toMatchObject(baseline)
    // An update reads the file too, so it would fail as the gate did.
    const advice = /remove it, and make a new one with: npx stowage replay SET --update-baseline b\.json/
    for (const broken of ['', '{', '{"version":2}']) expect(() => parseBaseline(broken, 'b.json')).toThrow(advice)
    expect(() => parseBaseline('{', 'b.json')).toThrow(/baseline b\.json: is not JSON/)
  })
})
