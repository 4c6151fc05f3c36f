import { afterEach, describe, expect, it } from 'vitest'
import { createAdmission, WorkMeter } from '../../src/drop-in/admission.ts'
import { createBreakers } from '../../src/drop-in/breaker.ts'
import { deferred } from '../support/deferred.ts'
import { createStage } from '../support/stage.ts'
import { chosen, serveImproving } from './support/improving.ts'
import { createManualClock } from './support/manual-clock.ts'
import { createScriptedQdrant, listsAnswer, pointText, type ScriptedAnswer } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const refused: ScriptedAnswer = response => void response.writeHead(404).end()
const improved: ScriptedAnswer = response => void response.writeHead(200).end(listsAnswer([pointText('1', '0.5')]))

/** stowage before a Qdrant whose answer to batches can change. `ask` gives the reason of the passthrough, or the applied steps. */
async function serveRefusing() {
  const answers = { batch: refused, direct: undefined as ScriptedAnswer | undefined }
  const qdrant = createScriptedQdrant({
    lists: response => (answers.batch as (response: unknown) => void)(response),
    direct: response => {
      const { direct = '{}' } = answers
      if (typeof direct === 'function') direct(response)
      else response.end(direct)
    },
  })
  const clock = createManualClock()
  const pauses: { collection: string; paused: boolean }[] = []
  const onPause = (change: { collection: string; paused: boolean }) => void pauses.push(change)
  const { url } = await serveImproving(stage, await stage.listen(qdrant.server), { clock, onPause })
  const ask = async (collection = 'docs') => {
    const response = await fetch(`${url}/collections/${collection}/points/query`, {
      method: 'POST',
      body: '{"query":[0.1],"limit":1}',
      headers: { 'content-type': 'application/json' },
    })
    await response.text()
    return response.headers.get('x-stowage-degraded') ?? response.headers.get('x-stowage-applied')
  }
  const askTimes = async (times: number) => {
    const found: (string | null)[] = []
    for (let turn = 0; turn < times; turn += 1) found.push(await ask())
    return found
  }
  return { ...qdrant, answers, clock, pauses, ask, askTimes }
}

describe('a server that refuses the improved search', () => {
  it('is asked once per query after five refusals', async () => {
    const { improver, untouched, pauses, askTimes } = await serveRefusing()
    expect(await askTimes(5)).toEqual(Array(5).fill('upstream_refused'))
    expect(await askTimes(40)).toEqual(Array(40).fill('improving_paused'))
    expect([improver.length, untouched.length]).toEqual([5, 45])
    expect(pauses).toEqual([{ collection: 'docs', tenant: null, paused: true }])
  })

  it('is probed after a pause that grows, and improving goes on after a good probe', async () => {
    const { improver, answers, clock, pauses, ask, askTimes } = await serveRefusing()
    await askTimes(5)
    clock.advance(1_000)
    expect(await askTimes(2)).toEqual(['upstream_refused', 'improving_paused'])
    clock.advance(1_999)
    expect(await ask()).toBe('improving_paused')
    clock.advance(1)
    expect(await askTimes(2)).toEqual(['upstream_refused', 'improving_paused'])
    answers.batch = improved
    clock.advance(4_000)
    expect(await askTimes(3)).toEqual(Array(3).fill('fuse,pack'))
    expect(improver).toHaveLength(5 + 2 + 3)
    expect(pauses.map(({ paused }) => paused)).toEqual([true, false])
  })

  it('is forgotten five minutes after the last search, so that no pause is shown for what nobody uses', () => {
    const clock = createManualClock()
    const paused = new Set<string>()
    const onPause = (change: { collection: string; paused: boolean }) =>
      void (change.paused ? paused.add(change.collection) : paused.delete(change.collection))
    const breakers = createBreakers(clock, onPause, clock.after)
    for (const collection of ['idle', 'used'])
      for (let attempt = 0; attempt < 5; attempt += 1) breakers.admit(collection, null)?.settle('bad')
    for (let minute = 1; minute <= 6; minute += 1) {
      expect([...paused]).toEqual(minute <= 5 ? ['idle', 'used'] : ['used'])
      breakers.admit('used', null)?.settle('bad')
      clock.advance(60_000)
    }
    for (let minute = 0; minute < 6; minute += 1) clock.advance(60_000)
    expect(paused.size).toBe(0)
  })

  it('pauses one collection and no other', async () => {
    const { answers, ask, askTimes } = await serveRefusing()
    await askTimes(5)
    answers.batch = improved
    expect(await ask('other')).toBe('fuse,pack')
    expect(await ask()).toBe('improving_paused')
  })

  it('is not blamed for requests that it refuses in both forms', async () => {
    const { answers, pauses, askTimes } = await serveRefusing()
    answers.direct = refused
    expect(await askTimes(20)).toEqual(Array(20).fill('upstream_refused'))
    expect(pauses).toEqual([])
  })

  it('is not blamed for a few refusals between improved answers', async () => {
    const { answers, pauses, askTimes } = await serveRefusing()
    for (let round = 0; round < 5; round += 1) {
      answers.batch = refused
      await askTimes(4)
      answers.batch = improved
      await askTimes(1)
    }
    expect(pauses).toEqual([])
  })
})

describe('a breaker', () => {
  const admitAll = (breakers: ReturnType<typeof createBreakers>, count: number) =>
    Array.from({ length: count }, () => breakers.admit('c', null)).filter(attempt => attempt !== null)

  it('admits one probe at a time', () => {
    const clock = createManualClock()
    const breakers = createBreakers(clock, () => {})
    for (const attempt of admitAll(breakers, 5)) attempt.settle('bad')
    expect(admitAll(breakers, 3)).toEqual([])
    clock.advance(1_000)
    const [probe, ...others] = admitAll(breakers, 3)
    expect(others).toEqual([])
    probe?.settle('unknown')
    const [second] = admitAll(breakers, 3)
    second?.settle('good')
    expect(admitAll(breakers, 3)).toHaveLength(3)
  })

  it('doubles the pause up to 30 seconds', () => {
    const clock = createManualClock()
    const breakers = createBreakers(clock, () => {})
    for (const attempt of admitAll(breakers, 5)) attempt.settle('bad')
    const pauses = Array.from({ length: 8 }, () => {
      const began = clock.now()
      let probe = breakers.admit('c', null)
      while (probe === null) {
        clock.advance(500)
        probe = breakers.admit('c', null)
      }
      probe.settle('bad')
      return clock.now() - began
    })
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  it('pauses for the tenant alone', () => {
    const pauses: object[] = []
    const breakers = createBreakers(createManualClock(), change => void pauses.push(change))
    for (let turn = 0; turn < 5; turn++) breakers.admit('shared', 'acme')?.settle('bad')
    expect(breakers.admit('shared', 'acme')).toBeNull()
    expect(breakers.admit('shared', 'beta')).not.toBeNull()
    expect(pauses).toEqual([{ collection: 'shared', tenant: 'acme', paused: true }])
  })

  it('ignores verdicts of attempts from before the pause', () => {
    const clock = createManualClock()
    const breakers = createBreakers(clock, () => {})
    const attempts = admitAll(breakers, 9)
    for (const attempt of attempts.slice(0, 5)) attempt.settle('bad')
    attempts[5]?.settle('good')
    attempts[6]?.settle('bad')
    expect(breakers.admit('c', null)).toBeNull()
    clock.advance(1_000)
    expect(breakers.admit('c', null)).not.toBeNull()
  })

  it('forgets collections beyond its bound, and says that their pause ended', () => {
    const ended: string[] = []
    const breakers = createBreakers(createManualClock(), change => {
      if (!change.paused) ended.push(change.collection)
    })
    for (const attempt of admitAll(breakers, 5)) attempt.settle('bad')
    for (let index = 0; index < 1_000; index += 1) breakers.admit(`name-${index}`, null)
    expect(ended).toEqual(['c'])
  })

  it.each(['bad', 'good'] as const)(
    'shows as many pauses as there are when attempts of a forgotten collection end %s',
    verdict => {
      const clock = createManualClock()
      let shown = 0
      const breakers = createBreakers(clock, ({ paused }) => {
        shown += paused ? 1 : -1
      })
      let running = admitAll(breakers, 5)
      if (verdict === 'good') {
        for (const attempt of running) attempt.settle('bad')
        clock.advance(1_000)
        running = admitAll(breakers, 1)
      }
      for (let index = 0; index < 1_000; index += 1) breakers.admit(`name-${index}`, null)
      for (const attempt of running) attempt.settle(verdict)
      expect(shown).toBe(0)
    },
  )
})

describe('admission', () => {
  it('bounds the attempts in flight by their work, and always admits one', () => {
    const admit = createAdmission(100)
    const leaves = Array.from({ length: 20 }, () => admit(null)).filter(leave => leave !== null)
    // The first guess is 10 ms.
    expect(leaves).toHaveLength(10)
    for (const leave of leaves) leave(1_000)
    const only = admit(null)
    expect(only).not.toBeNull()
    expect(admit(null)).toBeNull()
  })

  it('counts the work of an attempt without its waiting', async () => {
    let worked = 0
    const meter = new WorkMeter({ workedMs: () => worked })
    const waiting = deferred<void>()
    meter.start()
    worked += 5
    const paused = meter.pause(waiting.promise)
    worked += 100
    waiting.resolve()
    await paused
    worked += 7
    meter.stop()
    expect(meter.workedMs).toBe(12)
  })

  it('passes the next search through while one that is admitted fills the room', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')]) })
    const begun = deferred<void>()
    const release = deferred<void>()
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      hedgeMs: 30,
      clock: createManualClock(),
      choosePoints: async ({ lists }) => {
        begun.resolve()
        await release.promise
        return chosen(lists.flatMap(({ hits }) => hits))
      },
    })
    const ask = async () => {
      const headers = { 'content-type': 'application/json' }
      const path = `${url}/collections/docs/points/query`
      const response = await fetch(path, { method: 'POST', body: '{"query":[0.1],"limit":1}', headers })
      await response.text()
      return response.headers.get('x-stowage-degraded') ?? response.headers.get('x-stowage-applied')
    }
    const first = ask()
    await begun.promise
    expect(await ask()).toBe('busy')
    release.resolve()
    expect(await first).toBe('fuse,pack')
  })
})
