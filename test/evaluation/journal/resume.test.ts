import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseArms } from '../../../src/evaluation/arms/parse.ts'
import { openJournal } from '../../../src/evaluation/journal/journals.ts'
import { type ReplayDependencies, type ReplayJob, replay } from '../../../src/evaluation/replay/replay.ts'
import type { QueryDetails, ReplayReport } from '../../../src/evaluation/replay/results.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { printJson } from '../../../src/qdrant/json.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { goldenQuery, goldSpan, replayRun } from '../support/golden.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder('journal')
})

const TEXT = 'the pump lifts nineteen spans. the valve closes at dusk. the lamp burns all night.'
const setOf = (name: string, queries: number) => ({
  name,
  documents: [{ docId: 'd', title: 'D', text: TEXT }],
  queries: Array.from({ length: queries }, (_, at) => goldenQuery(`${name} ${at}`, [goldSpan(TEXT, at, 30 + at)])),
  corpusHash: `corpus ${name}`,
  hash: `hash ${name}`,
})
const sets = [setOf('first', 7), setOf('second', 4)]
const arms = parseArms('topk,measured', NAMED_PLANS)
const identity = {
  sets,
  arms,
  budgets: [3, 9],
  chunkTokens: 200,
  limitQueries: null,
  details: true,
  embedder: null,
  reranker: null,
  referenceModel: 'gpt-4o',
  contexts: null,
  tenants: [],
  stowage: '1',
}
const jobOf = (changes: Partial<ReplayJob> = {}): ReplayJob => ({
  sets,
  arms,
  budgets: [3, 9],
  chunkTokens: 200,
  cacheFolder: folder,
  limitQueries: null,
  details: true,
  explain: true,
  onProgress: () => {},
  ...changes,
})

const candidate = (budget: number) => ({
  ...{ id: '1', docId: 'd', text: TEXT, orderIndex: 0, place: { start: 0, end: TEXT.length } },
  ...{ origin: 'retrieved' as const, reason: budget < 5 ? ('over_budget' as const) : null, rank: 1, isCapped: false },
})

/** @param mayRun called before each run; it throws to break the replay */
function worldOf(mayRun: (query: string) => void, changes: object = {}) {
  const seen = { prepared: [] as string[], asked: [] as string[] }
  const dependencies: ReplayDependencies = {
    embedder: 'words/2',
    reranker: null,
    countTokens: text => text.split(/\s+/).filter(Boolean).length,
    openJournal: ({ fresh = false }) => openJournal(join(folder, 'journal'), { ...identity, ...changes }, fresh),
    prepare: async set => {
      seen.prepared.push(set.name)
      return {
        chunks: set.queries.length,
        embedder: 'words/2',
        run: async ({ id }, { name }, budgets) => {
          await new Promise(resolve => setImmediate(resolve))
          mayRun(id)
          seen.asked.push(`${id} ${name}`)
          return budgets.map(budget =>
            replayRun(TEXT.split(' ').slice(0, budget).join(' '), {
              degraded: name === 'topk' ? ['list_missing'] : [],
              totalMs: Math.random(),
              candidates: () => [candidate(budget)],
            }),
          )
        },
        close: async () => {},
      }
    },
  }
  return { seen, dependencies }
}

const withoutTimes = (report: ReplayReport) =>
  JSON.stringify(report, (key, value) => (['ms', 'parallel'].includes(key) ? 0 : value))
const journals = () => (existsSync(join(folder, 'journal')) ? readdirSync(join(folder, 'journal')) : [])

async function replayed(dependencies: ReplayDependencies, job = jobOf()) {
  const details: QueryDetails[] = []
  const report = await replay(job, dependencies, async (_report, all) => {
    for await (const one of all) details.push(one)
  })
  return { figures: withoutTimes(report), details: JSON.stringify(details) }
}

describe('a replay that is interrupted', () => {
  it('goes on where it was, as often as it fails, and ends with the same figures and details', async () => {
    const undisturbed = await replayed(worldOf(() => {}).dependencies)
    expect(undisturbed.figures.includes('"step":"too_large"')).toBe(true)
    const attempts = fc.array(fc.record({ runs: fc.nat(12), parallel: fc.integer({ min: 1, max: 4 }) }), {
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(attempts, async plans => {
        const asked: string[] = []
        for (const { runs, parallel } of plans) {
          let left = runs
          const broken = worldOf(() => {
            if (left-- <= 0) throw new Error('killed')
          })
          const isDone = await replayed(broken.dependencies, jobOf({ parallel })).then(
            () => true,
            () => false,
          )
          asked.push(...broken.seen.asked)
          if (isDone) break
        }
        const finisher = worldOf(() => {})
        expect(await replayed(finisher.dependencies, jobOf({ parallel: 2 }))).toEqual(undisturbed)
        expect(journals()).toEqual([])
      }),
      { numRuns: 15 },
    )
  })

  it('asks no finished query again, says what is done, and opens no set that is done', async () => {
    const broken = worldOf(id => {
      if (id === 'second 2') throw new Error('killed')
    })
    await expect(replayed(broken.dependencies)).rejects.toThrow('set second, query second 2, arm topk: killed')
    const resumed: unknown[] = []
    const progress: unknown[] = []
    const { seen, dependencies } = worldOf(() => {})
    const onResume = (...told: unknown[]) => void resumed.push(told)
    const onProgress = (...told: unknown[]) => void progress.push(told)
    await replayed(dependencies, jobOf({ onResume, onProgress }))
    expect(resumed).toEqual([
      ['first', 7, 7],
      ['second', 2, 4],
    ])
    expect(progress[0]).toEqual(['second: ask', 2, 4])
    expect(seen.prepared).toEqual(['second'])
    expect(new Set(seen.asked.map(run => run.slice(0, 8)))).toEqual(new Set(['second 2', 'second 3']))
  })

  it('takes every whole line of a torn journal, and asks the rest again', async () => {
    const undisturbed = await replayed(worldOf(() => {}).dependencies)
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), fc.string(), async (share, rubbish) => {
        const broken = worldOf(id => {
          if (id === 'second 3') throw new Error('killed')
        })
        await replayed(broken.dependencies).catch(() => {})
        const [name = ''] = journals()
        const figures = join(folder, 'journal', name, 'figures.jsonl')
        truncateSync(figures, Math.floor(statSync(figures).size * share))
        appendFileSync(figures, rubbish.replaceAll('\n', ''))
        const wholeLines = readFileSync(figures, 'utf8').split('\n').slice(0, -1)
        const done = wholeLines.filter(line => line.includes('"result"')).length
        const { seen, dependencies } = worldOf(() => {})
        expect(await replayed(dependencies)).toEqual(undisturbed)
        expect(seen.asked).toHaveLength((11 - done) * arms.length)
      }),
      { numRuns: 15 },
    )
  })

  it('begins anew with fresh, and after a change of anything that figures depend on', async () => {
    const interrupt = () =>
      replayed(
        worldOf(id => {
          if (id === 'second 0') throw new Error('killed')
        }).dependencies,
      ).catch(() => {})
    const askedBy = async (changes: object, job: Partial<ReplayJob> = {}) => {
      await interrupt()
      const { seen, dependencies } = worldOf(() => {}, changes)
      await replayed(dependencies, jobOf(job))
      return seen.asked.length / arms.length
    }
    expect(await askedBy({})).toBe(4)
    expect(await askedBy({}, { fresh: true })).toBe(11)
    const other: object[] = [
      {
        sets: [
          { name: 'first', hash: 'hash first' },
          { name: 'second', hash: 'changed' },
        ],
      },
      { arms: parseArms('topk,measured:packing.mode=sentence', NAMED_PLANS) },
      { budgets: [3, 10] },
      { chunkTokens: 100 },
      { limitQueries: 5 },
      { details: false },
      { explain: true },
      { embedder: 'words/3' },
      { reranker: 'other' },
      { referenceModel: 'other' },
      { tenants: [{ name: 'acme', condition: null }] },
      { tenants: [{ name: 'acme', condition: { must: [{ key: 'org', match: { value: 2n ** 62n } }] } }] },
      { stowage: '2' },
    ]
    for (const changes of other) expect(await askedBy(changes), printJson(changes)).toBe(11)
  })

  it('refuses a second process at the same journal, and forgets the oldest of many', async () => {
    const open = (stowage: string) => openJournal(join(folder, 'journal'), { ...identity, stowage }, false)
    const first = open('1')
    expect(() => open('1')).toThrow(/is already open/)
    for (let version = 2; version < 20; version++) open(String(version)).close(false)
    expect(journals()).toHaveLength(9)
    expect(() => open('1')).toThrow(/is already open/)
    first.close(true)
    expect(journals()).toHaveLength(8)
  })
})

describe('queries in flight', () => {
  it('changes no figure, and leaves no query in flight when one fails', async () => {
    const one = await replayed(worldOf(() => {}).dependencies, jobOf({ parallel: 1 }))
    expect(await replayed(worldOf(() => {}).dependencies, jobOf({ parallel: 4 }))).toEqual(one)
    let inFlight = 0
    let most = 0
    const { dependencies } = worldOf(() => {})
    const watched: ReplayDependencies = {
      ...dependencies,
      prepare: async (set, job) => {
        const prepared = await dependencies.prepare(set, job)
        return {
          ...prepared,
          run: async (query, arm, budgets) => {
            most = Math.max(most, ++inFlight)
            try {
              if (query.id === 'first 5') throw new Error('killed')
              return await prepared.run(query, arm, budgets)
            } finally {
              inFlight--
            }
          },
          close: async () => expect(inFlight).toBe(0),
        }
      },
    }
    await expect(replayed(watched, jobOf({ parallel: 4 }))).rejects.toThrow('killed')
    expect(most).toBe(4)
    expect(inFlight).toBe(0)
  })
})
