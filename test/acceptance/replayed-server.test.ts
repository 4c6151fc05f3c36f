import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { decoded } from '../../src/commands/trace-files.ts'
import { NO_KEYS } from '../../src/evaluation/arms/server/keys.ts'
import { withServerArms } from '../../src/evaluation/arms/server/server-arms.ts'
import { readQuestions } from '../../src/evaluation/golden-add/read-traces.ts'
import { type ReplayDependencies, replay } from '../../src/evaluation/replay/replay.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { ab } from '../commands/support/ab.ts'
import { goldenQuery } from '../evaluation/support/golden.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('stowage-replayed')
})

/** Everybody is in the treatment, which packs two chunks, and every request has a shadow. */
async function flagsFile(): Promise<string> {
  const path = join(folder, 'flags.json')
  const fewer = { name: 'fewer', weight: 1_000, payload: { type: 'json', value: '{"rerank.topK":2}' } }
  const variants = [{ name: 'control', weight: 0 }, fewer].map(one => ({ ...one, stickiness: 'sessionId' }))
  const strategies = [
    { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'sessionId', groupId: 'g' }, variants },
  ]
  const features = ['stowage.experiment.size', 'stowage.shadow.size'].map(name => ({ name, enabled: true, strategies }))
  await writeFile(path, JSON.stringify({ version: 2, features }))
  return path
}

const SENTENCES = ['harbour', 'tide', 'lantern', 'ledger', 'gate'].map(
  (word, at) => `The sluice and the ${word} are described here as number ${at}.`,
)

/** Replays two questions on the server. @returns the number of chunks of each answer */
async function replayOn({ url }: Stowage): Promise<number[]> {
  const queries = SENTENCES.slice(0, 2).map((text, at) =>
    goldenQuery(`q${at}`, [{ kind: 'text', text, place: null, grade: 1 }], { query: `which sluice is number ${at}?` }),
  )
  const set = { name: 'harbour', documents: [], queries, corpusHash: '', hash: '' }
  const arm = { kind: 'server', name: 'served', url, collection: null } as const
  const job = { sets: [set], arms: [arm], budgets: [400], chunkTokens: 60, cacheFolder: folder, limitQueries: null }
  const noPlans = { countTokens: (text: string) => text.split(/\s+/u).length } as ReplayDependencies
  const { sets } = await replay({ ...job, onProgress: () => {} }, withServerArms(noPlans, { keyOf: NO_KEYS }))
  return sets.flatMap(one => one.queries.map(({ arms }) => arms.served?.['400']?.chunkIds.length ?? 0))
}

it('requests of a replay are part of no experiment, and no questions of users', async () => {
  const traces = join(folder, 'traces.jsonl')
  const stowage = await openStowage({ FLAGS_FILE: await flagsFile(), TRACE_FILE: traces })
  const experiments = async () => (await stowage.send('GET', '/v1/experiments')).json
  try {
    await fill(
      stowage.url,
      'harbour',
      SENTENCES.map((text, at) => chunk(at + 1, text)),
    )
    for (const chunks of await replayOn(stowage)) expect(chunks).toBeGreaterThan(2)
    expect(await experiments()).toEqual({ experiments: [] })
    // The same question of a user, and one with another value of the header.
    for (const headers of [undefined, { 'x-stowage-replay': 'no' }]) {
      const { headers: answered } = await stowage.ask({ query: 'who keeps it?', collection: 'harbour' }, headers)
      expect(answered.get('x-stowage-variant')).toBe('size=fewer')
    }
    expect(await experiments()).toMatchObject({ experiments: [{ variants: [{ variant: 'fewer', requests: 2 }] }] })
  } finally {
    await stowage.close()
  }
  const written = (await readFile(traces, 'utf8')).trim().split('\n')
  const replayed = written.map(line => JSON.parse(line) as Trace).filter(({ endpoint }) => endpoint === 'replay')
  // Two questions, and the gold passages that are looked for before them.
  expect(replayed.map(({ assignment, shadow_of }) => [assignment, shadow_of])).toEqual(Array(4).fill([null, null]))
  const { questions } = await readQuestions([decoded(createReadStream(traces))])
  expect(questions.map(({ query }) => query)).toEqual(['who keeps it?'])
  expect((await ab(traces)).text).toContain('fewer 2 requests')
})
