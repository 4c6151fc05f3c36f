import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openRollbackFile } from '../../src/adapters/rollback-file.ts'
import type { ExperimentOutcome } from '../../src/pipeline/plan/outcome.ts'
import { createRollout, type Rollback, type RolloutDependencies } from '../../src/rollout/rollout.ts'
import { createRollbackJudge, type Harm } from '../../src/rollout/statistics/online/judge.ts'
import { sampleRatio } from '../../src/rollout/statistics/sample-ratio.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { NO_HARM, SESSIONS, simulatedRequests } from './support/simulated-requests.ts'

/** A judge that never sees harm. */
const unconcerned = () => ({ add() {}, verdict: () => null })

const HARM: Harm = { variant: 'half', trigger: 'latency', detail: 'slower' }

/** A rollout whose timer runs when the test says so. */
function openRollout(over: Partial<RolloutDependencies> = {}) {
  const saved: (readonly Rollback[])[] = []
  const events: string[] = []
  const timers: (() => void)[] = []
  const rollout = createRollout({
    createJudge: () => createRollbackJudge(),
    rollbacks: [],
    save: rollbacks => void saved.push(rollbacks),
    onOutcome: ({ assignment }) => void events.push(assignment.variant),
    onRollback: ({ experiment, trigger }) => void events.push(`rolled back ${experiment} by ${trigger}`),
    onReset: experiment => void events.push(`reset ${experiment}`),
    wallClock: () => new Date(0),
    startTimer: (_milliseconds, run) => {
      timers.push(run)
      return () => void timers.splice(timers.indexOf(run), 1)
    },
    ...over,
  })
  const judgeNow = () => {
    while (timers.length > 0) timers.shift()?.()
  }
  return { rollout, saved, events, timers, judgeNow }
}

function outcome(
  over: Partial<ExperimentOutcome['assignment']> & { unitId?: string; seconds?: number } = {},
): ExperimentOutcome {
  const { unitId = 'u', seconds = 0.1, ...assignment } = over
  return {
    assignment: { experiment: 'fewer', variant: 'control', unit: 'session', share: 0.9, ...assignment },
    unitId,
    endpoint: 'context',
    failed: false,
    seconds,
    recallProxy: 0.5,
    tokens: 100,
  }
}

describe('a rollback', () => {
  it.each([
    ['25 % slower', { ...NO_HARM, slower: 1.25 }, 'latency'],
    ['dropping what was found first', { ...NO_HARM, lessRecall: 0.1 }, 'recall_proxy'],
    ['failing', { ...NO_HARM, moreFailures: 0.05 }, 'error_rate'],
    ['no different', NO_HARM, null],
  ])('of a treatment that is %s', (_case, behaviour, trigger) => {
    const { rollout, events, judgeNow } = openRollout()
    let sent = 0
    for (const request of simulatedRequests({ ...SESSIONS, share: 0.5 }, behaviour, seededRandom(7))) {
      if (++sent > 20_000 || rollout.isRolledBack(request.assignment.experiment)) break
      rollout.observe(request)
      if (sent % 100 === 0) judgeNow()
    }
    expect(events.filter(event => event.startsWith('rolled'))).toEqual(
      trigger === null ? [] : [expect.stringMatching(`by ${trigger}$`)],
    )
  })

  it('looks at the evidence by a timer, not in the request', () => {
    let asked = 0
    const verdict = () => {
      asked++
      return null
    }
    const judge = { add() {}, verdict }
    const { rollout, timers, judgeNow } = openRollout({ createJudge: () => judge })
    for (let i = 0; i < 100; i++) rollout.observe(outcome({ experiment: `e${i % 3}` }))
    expect([asked, timers.length]).toEqual([0, 1])
    judgeNow()
    expect([asked, timers.length]).toEqual([3, 0])
  })

  it('stays until it is reset, takes no outcome meanwhile, and begins anew afterwards', async () => {
    let harm: Harm | null = HARM
    const judges: { added: number }[] = []
    const createJudge = () => {
      const judge = { added: 0 }
      judges.push(judge)
      return { add: () => void judge.added++, verdict: () => harm }
    }
    const { rollout, saved, events, judgeNow } = openRollout({ createJudge })
    rollout.observe(outcome({ variant: 'half' }))
    judgeNow()
    expect(rollout.isRolledBack('fewer')).toBe(true)
    expect(saved).toEqual([[{ experiment: 'fewer', ...HARM, since: '1970-01-01T00:00:00.000Z' }]])
    for (let i = 0; i < 5; i++) rollout.observe(outcome())
    judgeNow()
    expect([events, judges]).toEqual([['half', 'rolled back fewer by latency'], [{ added: 1 }]])
    expect((await rollout.list())[0]).toMatchObject({
      experiment: 'fewer',
      rolled_back: HARM,
      variants: [{ requests: 1 }],
    })

    harm = null
    expect(rollout.reset('fewer')).toBe(true)
    expect([rollout.isRolledBack('fewer'), saved.at(-1), events.at(-1)]).toEqual([false, [], 'reset fewer'])
    expect([rollout.reset('fewer'), rollout.outcomesOf('fewer')]).toEqual([null, null])
    rollout.observe(outcome())
    judgeNow()
    expect([judges.map(({ added }) => added), rollout.reset('fewer')]).toEqual([[1, 1], false])
  })

  it('concerns one experiment, and not the others', () => {
    const createJudge = () => {
      let harmed = false
      return {
        add: ({ assignment }: ExperimentOutcome) => {
          harmed ||= assignment.variant === 'half'
        },
        verdict: () => (harmed ? HARM : null),
      }
    }
    const { rollout, judgeNow } = openRollout({ createJudge })
    rollout.observe(outcome({ experiment: 'good' }))
    rollout.observe(outcome({ experiment: 'bad', variant: 'half' }))
    judgeNow()
    expect(['good', 'bad'].map(rollout.isRolledBack)).toEqual([false, true])
  })
})

describe('what operators see', () => {
  it('counts units and requests, and gives the quantiles of the window', async () => {
    const { rollout } = openRollout()
    for (let i = 1; i <= 100; i++) rollout.observe(outcome({ unitId: `u${i % 7}`, seconds: i / 100 }))
    rollout.observe({ ...outcome({ variant: 'half', share: 0.1 }), failed: true, recallProxy: null, tokens: null })
    const [experiment] = await rollout.list()
    expect(experiment).toEqual({
      experiment: 'fewer',
      rolled_back: null,
      variants: [
        {
          variant: 'control',
          share: 0.9,
          units: 7,
          requests: 100,
          failed: 0,
          seconds: { mean: expect.closeTo(0.505), p50: 0.5, p95: 0.95 },
          tokens: 100,
          recall_proxy: expect.closeTo(0.5),
        },
        {
          variant: 'half',
          share: 0.1,
          units: 1,
          requests: 1,
          failed: 1,
          seconds: { mean: 0.1, p50: 0.1, p95: 0.1 },
          tokens: null,
          recall_proxy: null,
        },
      ],
    })
  })

  it('shows the declared split also when more outcomes came than are kept, in the order of their arrival', async () => {
    const { rollout } = openRollout({ createJudge: unconcerned })
    for (let i = 0; i < 30_000; i++)
      rollout.observe(outcome({ unitId: String(i), ...(i % 10 === 0 && { variant: 'half', share: 0.1 }) }))
    const [experiment] = await rollout.list()
    const ratio = sampleRatio((experiment?.variants ?? []).map(one => ({ ...one, share: one.share ?? 0 })))
    expect(ratio).toEqual({
      ratios: [
        { variant: 'half', units: 2_000, expected: 2_000 },
        { variant: 'control', units: 18_000, expected: 18_000 },
      ],
      p: 1,
    })
    const units = rollout.outcomesOf('fewer')?.map(({ unitId }) => unitId)
    expect(units).toEqual(Array.from({ length: 20_000 }, (_, i) => String(10_000 + i)))
  })

  it('tells when each request began', () => {
    const { rollout } = openRollout({ wallClock: () => new Date(60_000) })
    rollout.observe(outcome({ seconds: 2 }))
    expect(rollout.outcomesOf('fewer')?.[0]?.startedAt).toBe(58_000)
  })

  it('stays bounded: 20,000 outcomes of at most 10 variants of each of 20 experiments', async () => {
    const { rollout } = openRollout({ createJudge: unconcerned })
    for (let i = 0; i < 20_003; i++) rollout.observe(outcome({ unitId: String(i) }))
    const kept = rollout.outcomesOf('fewer') ?? []
    expect([kept.length, kept[0]?.unitId, kept.at(-1)?.unitId]).toEqual([20_000, '3', '20002'])
    for (let i = 0; i < 50; i++) rollout.observe(outcome({ variant: `v${i}` }))
    expect((await rollout.list())[0]?.variants).toHaveLength(10)
    for (let i = 0; i < 20_000; i++) rollout.observe(outcome())
    expect((await rollout.list())[0]?.variants.map(({ variant }) => variant)).toEqual(['control'])
    for (let i = 0; i < 50; i++) rollout.observe(outcome({ experiment: `e${i}` }))
    expect((await rollout.list()).map(({ experiment }) => experiment)).toHaveLength(20)
  })
})

describe('the file of rollbacks', () => {
  const open: string[] = []
  afterEach(async () => {
    for (const folder of open.splice(0)) await rm(folder, { recursive: true })
  })
  const newPath = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stowage-rollbacks-'))
    open.push(folder)
    return join(folder, 'rollbacks.json')
  }
  const rollback: Rollback = { experiment: 'fewer', ...HARM, since: '2026-01-01T00:00:00.000Z' }
  const fail = (error: unknown) => {
    throw error
  }

  it('gives a rollback to the next process, until it is reset', async () => {
    const path = await newPath()
    const first = await openRollbackFile(path, fail)
    expect(first.rollbacks).toEqual([])
    for (let i = 0; i < 20; i++) first.save(i % 2 === 0 ? [] : [rollback])
    await first.close()
    const second = await openRollbackFile(path, fail)
    const { rollout } = openRollout({ rollbacks: second.rollbacks, save: second.save })
    expect(rollout.isRolledBack('fewer')).toBe(true)
    expect(await rollout.list()).toMatchObject([{ experiment: 'fewer', rolled_back: HARM, variants: [] }])
    expect(rollout.outcomesOf('fewer')).toEqual([])
    expect(rollout.reset('fewer')).toBe(true)
    await second.close()
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 1, rollbacks: [] })
  })

  it.each(['', '{"version":1', '{"version":2,"rollbacks":[]}', '[]'])('refuses to begin with %j', async text => {
    const path = await newPath()
    await writeFile(path, text)
    await expect(openRollbackFile(path, fail)).rejects.toThrow('is not a file of rollbacks')
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('refuses a place that cannot be written, at the start', async () => {
    await expect(openRollbackFile(join(await newPath(), 'no', 'folder.json'), fail)).rejects.toThrow('ENO')
  })

  it('lets a process that replaces another one begin, with what the other one knew', async () => {
    const errors: unknown[] = []
    const path = join(await newPath(), 'no', 'folder.json')
    const file = await openRollbackFile(path, error => errors.push(error), [rollback])
    expect([file.rollbacks, errors.map(String)]).toEqual([[rollback], [expect.stringContaining('ENOENT')]])
  })
})
