import { describe, expect, it } from 'vitest'
import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { type Arm, parseArms } from '../../../src/evaluation/replay/arms.ts'
import { type ReplayDependencies, replay } from '../../../src/evaluation/replay/replay.ts'
import { measureRun, type ReplayRun } from '../../../src/evaluation/replay/run-metrics.ts'
import { planFingerprint } from '../../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'

const TEXT = 'the pump lifts nineteen spans. the valve closes at dusk. the lamp burns all night.'
const set: GoldenSet = {
  name: 'tiny',
  documents: [{ docId: 'd', title: 'D', text: TEXT }],
  queries: Array.from({ length: 10 }, (_, index) => ({
    id: `q${index}`,
    query: 'how high?',
    intent: null,
    grade: null,
    answer: null,
    goldPassages: [{ kind: 'span' as const, docId: 'd', start: 0, end: 30 }],
  })),
  corpusHash: 'c',
  hash: 'h',
}
const options = { sets: [set], chunkTokens: 200, cacheFolder: 'unused', limitQueries: null, onProgress: () => {} }
const countWords = (text: string) => text.split(/\s+/).filter(Boolean).length
const prefixRun = (words: number): ReplayRun => {
  const context = TEXT.split(' ').slice(0, words).join(' ')
  return {
    context,
    spans: [{ docId: 'd', start: 0, end: context.length }],
    chunkIds: ['1'],
    stageMs: { pack: 1 },
    totalMs: 2,
    degraded: ['reranker_unavailable', 'reranker_unavailable'],
  }
}

function world(run: (query: string, plan: Plan) => Promise<ReplayRun>) {
  const seen = { prepared: 0, closed: 0, plans: [] as Plan[] }
  const dependencies: ReplayDependencies = {
    prepare: async () => {
      seen.prepared += 1
      return {
        chunks: 1,
        embedder: 'fake/2',
        run: (query, plan) => {
          seen.plans.push(plan)
          return run(query, plan)
        },
        close: async () => {
          seen.closed += 1
        },
      }
    },
    countTokens: countWords,
  }
  return { seen, dependencies }
}

const arms = parseArms('topk,measured', NAMED_PLANS)
const [topk, measured] = arms as [Arm, Arm]

describe('replay', () => {
  it('asks every query under every arm and budget, and measures what came back', async () => {
    const { seen, dependencies } = world(async (_query, plan) => prefixRun(plan.budgetTokens))
    const report = await replay({ ...options, arms, budgets: [3, 5] }, dependencies)
    expect(seen).toMatchObject({ prepared: 1, closed: 1 })
    expect(seen.plans).toHaveLength(10 * 2 * 2)
    expect(report.arms.map(({ name, planFingerprint }) => [name, planFingerprint])).toEqual([
      ['topk', planFingerprint(topk.plan)],
      ['measured', planFingerprint(measured.plan)],
    ])
    const [result] = report.sets
    expect(result).toMatchObject({ name: 'tiny', hash: 'h', documents: 1, chunks: 1, embedder: 'fake/2' })
    expect(result?.degraded).toEqual({ reranker_unavailable: 40 })
    expect(result?.queries[0]?.arms.topk?.['3']).toMatchObject({
      recall: 0,
      covered: 0.5,
      tokens: 3,
      overrun: 0,
      lost: 0,
      ms: 2,
    })
    expect(result?.queries[0]?.arms.topk?.['5']).toMatchObject({ recall: 1, all: 1, covered: 1 })
    expect(result?.queries[9]?.arms.measured?.['5']?.garbage).toBe(0)
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
    const { seen, dependencies } = world(async (_query, plan) => {
      if (plan.budgetTokens === 5) throw new Error('store is gone')
      return prefixRun(1)
    })
    await expect(replay({ ...options, arms: [topk], budgets: [3, 5] }, dependencies)).rejects.toThrow(
      'set tiny, query q0, arm topk, budget 5: store is gone',
    )
    expect(seen.closed).toBe(1)
  })
})

describe('measuring a run', () => {
  const texts = new Map([['d', TEXT]])
  const [query] = set.queries
  if (!query) throw new Error('no query')
  const at = (budgetTokens: number, format: Plan['format'] = 'markdown'): Plan => ({
    ...topk.plan,
    budgetTokens,
    format,
  })

  it('cuts a context over its budget blindly, and takes back what the cut lost', () => {
    const within = measureRun(prefixRun(9), at(9), query, texts, countWords)
    expect(within).toMatchObject({ recall: 1, overrun: 0, lost: 0, tokens: 9 })
    const over = measureRun(prefixRun(9), at(4), query, texts, countWords)
    expect(over).toMatchObject({ recall: 0, covered: 4 / 6, overrun: 5, tokens: 4 })
    expect(over.lost).toBeGreaterThan(0)
  })

  it('believes no span whose text is not in the context', () => {
    const run = { ...prefixRun(9), context: 'something else altogether' }
    expect(measureRun(run, at(9), query, texts, countWords)).toMatchObject({ recall: 0, covered: 0, garbage: 1 })
  })

  it('takes spans at their word where the format escapes text', () => {
    const run = { ...prefixRun(9), context: '{"text":"the pump\\nlifts"}' }
    expect(measureRun(run, at(9, 'json'), query, texts, countWords)).toMatchObject({ recall: 1, lost: 0 })
  })
})
