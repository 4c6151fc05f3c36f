import { beforeEach, describe, expect, it } from 'vitest'
import { parseArms } from '../../../src/evaluation/arms/parse.ts'
import type { LossStep } from '../../../src/evaluation/loss/steps.ts'
import type { RunFigures } from '../../../src/evaluation/metrics/measure-run.ts'
import { replay } from '../../../src/evaluation/replay/replay.ts'
import { createReplayDependencies } from '../../../src/evaluation/replay/run.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { replayWorld } from '../../../src/wiring/replay.ts'
import { NO_MODELS } from '../../support/no-models.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { harbours } from '../support/harbours.ts'

let cacheFolder = ''
beforeEach(() => {
  cacheFolder = temporaryFolder('stowage-loss')
})

const ALL_THE_TEXT = 100_000
/** Few hits, a small pool, MMR, caps and sentences: all that can lose something. */
const ARMS = [
  'measured:rerank.method=off',
  'measured:rerank.method=off,retrieval.weights.k=1,retrieval.tokensPerCandidate=off,reunification.fetch=false',
  'measured:rerank.method=off,retrieval.pool=1,retrieval.tokensPerCandidate=off,reunification.expansion=0',
  'design:rerank.method=off',
  'measured:rerank.method=off,packing.mode=sentence',
]

async function replayed(parallel: number, names = ARMS) {
  const notAsked = () => {
    throw new Error('not asked for')
  }
  const world = { openLive: notAsked, contexts: notAsked, contextualTwins: new Map() }
  const model = NAMED_PLANS.measured.tokenizerModel
  const arms = names.flatMap(arm => parseArms(arm, NAMED_PLANS))
  const job = { sets: [harbours], arms, budgets: [60, ALL_THE_TEXT], chunkTokens: 60, cacheFolder }
  const report = await replay(
    { ...job, limitQueries: 2, parallel, explain: true, onProgress: () => {} },
    createReplayDependencies(replayWorld(NO_MODELS, model, world)),
  )
  return report.sets[0]?.queries ?? []
}

describe('the losses of the pipeline', () => {
  it('agree with answer recall, and packing loses nothing when everything fits', async () => {
    const queries = await replayed(4)
    const seen = new Map<string, Set<LossStep>>()
    for (const { arms } of queries)
      for (const [arm, byBudget] of Object.entries(arms))
        for (const [budget, { loss, measures }] of Object.entries(byBudget) as [string, RunFigures][]) {
          const { text, place } = loss ?? {}
          for (const [rule, recall] of [
            [text, measures.recall],
            [place, measures.place_recall],
          ] as const) {
            expect(rule?.golds).toHaveLength(1)
            expect(rule?.golds.filter(({ step }) => step === 'found')).toHaveLength(recall ?? -1)
            if (recall === 0 && rule?.golds[0]?.holder !== null) expect(rule?.golds[0]?.holder?.id).toBeTypeOf('string')
          }
          const steps = seen.get(arm) ?? new Set()
          seen.set(arm, steps)
          for (const { step } of text?.golds ?? []) if (Number(budget) === ALL_THE_TEXT) steps.add(step)
        }
    const packing: LossStep[] = ['too_large', 'no_room', 'ranked_low', 'in_part']
    for (const [arm, steps] of seen) expect([arm, packing.filter(step => steps.has(step))]).toEqual([arm, []])
    const lostBy = (arm: string | undefined) => [...(seen.get(arm ?? '') ?? [])].filter(step => step !== 'found')
    expect(lostBy(ARMS[0])).toEqual([])
    expect(lostBy(ARMS[1])).toEqual(['not_retrieved'])
    expect(lostBy(ARMS[2])).toEqual(['below_pool'])
    const [arm = ''] = ARMS.slice(1)
    const alone = await replayed(1, [arm])
    expect(alone.map(query => lossesOf(query, arm))).toEqual(queries.map(query => lossesOf(query, arm)))
  })
})

const lossesOf = ({ arms }: Awaited<ReturnType<typeof replayed>>[number], arm: string) =>
  Object.values(arms[arm] ?? {}).map(({ loss }) => loss)
