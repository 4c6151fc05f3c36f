import { describe, expect, it } from 'vitest'
import type { PlanArm } from '../../../src/evaluation/arms/arm.ts'
import { parseArms } from '../../../src/evaluation/arms/parse.ts'
import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { measureRun, type ReplayRun } from '../../../src/evaluation/metrics/measure-run.ts'
import { QueryEvidence } from '../../../src/evaluation/metrics/query-evidence.ts'
import { type ReplayDependencies, replay } from '../../../src/evaluation/replay/replay.ts'
import { planFingerprint } from '../../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'
import { goldenQuery, goldSpan, replayRun } from '../support/golden.ts'

const TEXT = 'the pump lifts nineteen spans. the valve closes at dusk. the lamp burns all night.'
const set: GoldenSet = {
  name: 'tiny',
  documents: [{ docId: 'd', title: 'D', text: TEXT }],
  queries: Array.from({ length: 10 }, (_, index) => goldenQuery(`q${index}`, [goldSpan(TEXT, 0, 30)])),
  corpusHash: 'c',
  hash: 'h',
}
const options = { sets: [set], chunkTokens: 200, cacheFolder: 'unused', limitQueries: null, onProgress: () => {} }
const countWords = (text: string) => text.split(/\s+/).filter(Boolean).length
const prefixRun = (words: number): ReplayRun => {
  const context = TEXT.split(' ').slice(0, words).join(' ')
  return replayRun(context, { degraded: ['reranker_unavailable', 'reranker_unavailable'] })
}

function world(run: (budgetTokens: number) => Promise<ReplayRun>) {
  const seen = { prepared: 0, closed: 0, plans: [] as Plan[] }
  const dependencies: ReplayDependencies = {
    prepare: async () => {
      seen.prepared += 1
      return {
        chunks: 1,
        embedder: 'fake/2',
        run: async (_query, arm, budgets) => {
          if (arm.kind === 'plan') seen.plans.push(arm.plan)
          return Promise.all(budgets.map(run))
        },
        close: async () => {
          seen.closed += 1
        },
      }
    },
    embedder: 'fake/2',
    reranker: null,
    countTokens: countWords,
  }
  return { seen, dependencies }
}

const arms = parseArms('topk,measured', NAMED_PLANS)
const [topk, measured] = arms as [PlanArm, PlanArm]

describe('replay', () => {
  it('asks every query under every arm and budget, and measures what came back', async () => {
    const { seen, dependencies } = world(async budget => prefixRun(budget))
    const report = await replay({ ...options, arms, budgets: [3, 5] }, dependencies)
    expect(seen).toMatchObject({ prepared: 1, closed: 1 })
    expect(seen.plans).toHaveLength(10 * 2)
    expect(report.arms.map(({ name, planFingerprint }) => [name, planFingerprint])).toEqual([
      ['topk', planFingerprint(topk.plan)],
      ['measured', planFingerprint(measured.plan)],
    ])
    const [result] = report.sets
    expect(result).toMatchObject({ name: 'tiny', hash: 'h', documents: 1, chunks: 1, embedder: 'fake/2' })
    expect(result?.degraded).toEqual({ reranker_unavailable: 40 })
    expect(result?.queries[0]?.arms.topk?.['3']).toMatchObject({
      measures: { recall: 0, covered: 0, tokens: 3, degraded: 1 },
      degraded: ['reranker_unavailable'],
      overrun: 0,
      lost: 0,
      ms: 2,
    })
    expect(result?.queries[0]?.arms.topk?.['5']).toMatchObject({ measures: { recall: 1, all_found: 1, covered: 1 } })
    expect(result?.queries[9]?.arms.measured?.['5']?.measures.garbage).toBe(0)
  })

  it('lets arms take turns in going first', async () => {
    const { seen, dependencies } = world(async () => prefixRun(1))
    await replay({ ...options, arms, budgets: [9] }, dependencies)
    const firsts = seen.plans.filter((_, index) => index % 2 === 0).map(plan => plan.packing.overflow)
    expect(firsts.slice(0, 4)).toEqual(['stop', 'skip', 'stop', 'skip'])
  })

  it('spreads a limited number of queries over the set and reports progress to the end', async () => {
    const { dependencies } = world(async () => prefixRun(1))
    const progress: number[] = []
    const onProgress = (_phase: string, done: number, total: number) => void progress.push(done / total)
    const limited = { ...options, arms: [topk], budgets: [9], limitQueries: 3, onProgress }
    const report = await replay(limited, dependencies)
    expect(report.sets[0]?.queries.map(({ id }) => id)).toEqual(['q0', 'q3', 'q6'])
    expect(progress.at(-1)).toBe(1)
    const all = await replay({ ...limited, limitQueries: 99 }, dependencies)
    expect(all.sets[0]?.queries).toHaveLength(10)
  })

  it('names the run that failed, and closes what it opened', async () => {
    const { seen, dependencies } = world(async budget => {
      if (budget === 5) throw new Error('store is gone')
      return prefixRun(1)
    })
    await expect(replay({ ...options, arms: [topk], budgets: [3, 5] }, dependencies)).rejects.toThrow(
      'set tiny, query q0, arm topk: store is gone',
    )
    expect(seen.closed).toBe(1)
  })
})

describe('measuring a run', () => {
  const texts = new Map([['d', TEXT]])
  const evidence = new QueryEvidence(goldenQuery('q', [goldSpan(TEXT, 0, 30)]))
  const measure = (run: ReplayRun, budget: number) =>
    measureRun(run, budget, evidence, { texts, countTokens: countWords }).figures

  it('cuts a context over its budget blindly, and takes back what the cut lost', () => {
    const within = measure(prefixRun(9), 9)
    expect(within).toMatchObject({ measures: { recall: 1, tokens: 9 }, overrun: 0, lost: 0 })
    const over = measure(prefixRun(9), 4)
    expect(over).toMatchObject({ measures: { recall: 0, tokens: 4 }, overrun: 5 })
    expect(over.lost).toBeGreaterThan(0)
  })

  it('believes no span whose text is not in the context', () => {
    const run = { ...prefixRun(9), context: 'something else altogether' }
    expect(measure(run, 9)).toMatchObject({ measures: { recall: 0, place_recall: 0, covered: 0, garbage: 1 } })
  })

  it('takes spans at their word where the format escapes text', () => {
    const run = { ...prefixRun(9), format: 'json' as const, context: '{"text":"the pump\\nlifts nineteen spans"}' }
    expect(measure(run, 9)).toMatchObject({ measures: { recall: 1, place_recall: 1 }, lost: 0 })
  })
})
