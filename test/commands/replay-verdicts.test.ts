import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { SPLITS } from '../../src/evaluation/golden-set/split.ts'
import { chunk, fill } from '../support/points.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runReplayCommand } from './support/replay.ts'

/** Correcting a word that no document has would make another question of it. */
const PLAIN = 'measured:retrieval.spelling=false'
const NUMBER = 44
/** A word of its own for each number. */
const wordOf = (at: number) => `gor${[...String(at)].map(digit => 'abcdefghij'[Number(digit)]).join('')}x`
const textOf = (at: number) => `The lamp of ${wordOf(at)} burns for many hours, and its keeper counts them.`
const lines = (rows: object[]) => rows.map(row => JSON.stringify(row)).join('\n')
const each = <Row>(rowOf: (at: number) => Row) => Array.from({ length: NUMBER }, (_, at) => rowOf(at))

let server: EmbeddedServer
let folder = ''
beforeAll(async () => {
  vi.stubEnv('EMBEDDER', 'none')
  vi.stubEnv('RERANKER', 'off')
  server = await startEmbeddedServer({})
  folder = temporaryFolder('replay-verdicts')
  const lamps = join(folder, 'lamps')
  await mkdir(lamps)
  await writeFile(join(lamps, 'corpus.jsonl'), lines(each(at => ({ doc_id: `d${at}`, title: '', text: textOf(at) }))))
  const queries = each(at => ({
    id: `q${at}`,
    query: `lamp ${wordOf(at)} burns hours`,
    gold: [{ doc_id: `d${at}` }],
    split: SPLITS[at % 2],
  }))
  await writeFile(join(lamps, 'queries.jsonl'), lines(queries))
  const unanswerable = each(at => ({
    id: `u${at}`,
    query: `lamp price ${wordOf(at + 500)} merchant`,
    unanswerable: true,
    split: SPLITS[at % 2],
  }))
  await writeFile(join(lamps, 'unanswerable.jsonl'), lines(unanswerable))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const replay = (...line: string[]) => runReplayCommand(...line, '--cache', join(folder, 'cache'))

async function reportOf(...line: string[]) {
  const json = join(folder, 'verdicts.json')
  const ended = await replay(...line, '--verdicts', '--json', json)
  expect(ended.error).toBeNull()
  const { sets } = JSON.parse(await readFile(json, 'utf8'))
  return { ...ended, report: sets[0] }
}

describe('stowage replay --verdicts', () => {
  it('tells questions with an answer from others, and suggests thresholds that do', async () => {
    const { report, out, shown } = await reportOf(join(folder, 'lamps'), '--arms', PLAIN)
    const numbers = report.groups.map((one: { group: string; questions: number }) => [one.group, one.questions])
    expect(numbers).toEqual(['answered', 'without', 'unanswerable', 'other'].map(group => [group, NUMBER]))
    for (const { auroc } of report.groups.slice(1)) expect(auroc).toBeGreaterThan(0.95)
    const { thresholds, uncertain, inDocuments } = report.suggestion
    expect([uncertain.group, inDocuments.group]).toEqual(['answered', 'unanswerable'])
    expect(out).toContain(`VERDICT_IN_DOCUMENTS=${thresholds.inDocuments} VERDICT_UNCERTAIN=${thresholds.uncertain}`)
    expect(shown).toContain(`lamps: ask ${4 * NUMBER}/${4 * NUMBER}`)
    expect(out).not.toContain('ask ')

    const override = `verdict.inDocuments=${thresholds.inDocuments},verdict.uncertain=${thresholds.uncertain}`
    expect(out).toContain(override)
    const { report: again } = await reportOf(join(folder, 'lamps'), '--arms', `${PLAIN},${override}`)
    const verdicts = (groups: { verdicts: object; suggested: object }[], key: 'verdicts' | 'suggested') =>
      groups.map(one => one[key])
    expect(verdicts(again.groups, 'verdicts')).toEqual(verdicts(report.groups, 'suggested'))
    const [answered, , unanswerable] = again.groups
    expect(answered.verdicts.not_in_documents).toBeLessThanOrEqual(0.05 * NUMBER)
    expect(unanswerable.verdicts.in_documents).toBeLessThanOrEqual(0.05 * NUMBER)
  })

  it('asks fewer questions of each kind, and says when they are too few', async () => {
    const { report, out } = await reportOf(join(folder, 'lamps'), '--limit-queries', '10')
    expect(report.questions).toHaveLength(40)
    expect(report.suggestion).toEqual({ uncertain: null, inDocuments: null, thresholds: null })
    expect(out).toContain('too few questions to say')
  })

  it('leaves out questions about something else for the set that they are from', async () => {
    const gates = join(folder, 'gates')
    await mkdir(gates)
    const [first = ''] = (await readFile('goldens/isharoth/queries.jsonl', 'utf8')).split('\n')
    const { query } = JSON.parse(first)
    await writeFile(join(gates, 'corpus.jsonl'), lines([{ doc_id: 'd', title: '', text: textOf(1) }]))
    await writeFile(join(gates, 'queries.jsonl'), lines([{ id: 'q', query, gold: [{ doc_id: 'd' }] }]))
    const { report, out } = await reportOf(gates)
    expect(report.groups.map((one: { group: string }) => one.group)).toEqual(['answered', 'without'])
    expect(out).toContain('left out, something else: the set has questions of isharoth itself')
    expect(out).toContain('left out, the subject, no answer: no unanswerable.jsonl beside the queries')
  })

  it('asks a live collection, whose documents it cannot leave out', async () => {
    await fill(
      server.url,
      'lamps',
      each(at => chunk(at + 1, textOf(at), {})),
    )
    const live = join(folder, 'live')
    await mkdir(live)
    const queries = each(at => ({
      id: `q${at}`,
      query: `lamp ${wordOf(at)} burns hours`,
      gold: [{ point_id: at + 1 }],
      split: SPLITS[at % 2],
    }))
    await writeFile(join(live, 'queries.jsonl'), lines(queries))
    const { report, out } = await reportOf(live, '--url', server.url, '--collection', 'lamps')
    expect(report.groups.map((one: { group: string }) => one.group)).toEqual(['answered', 'other'])
    expect(out).toContain('left out, golden questions without their documents: only the documents of a folder')
    expect(report.suggestion).toMatchObject({ uncertain: { group: 'answered' }, inDocuments: null })
  })

  it.each([
    [['--verdicts', '--budgets', '100'], /--verdicts does not read --budgets/],
    [['--verdicts', '--tune'], /--tune does not read --verdicts|--verdicts does not read --tune/],
    [['--verdicts', '--arms', 'topk,measured'], /give one arm/],
    [['--verdicts', '--arm', 'a=http://127.0.0.1:1'], /give one arm, and not a server/],
    [['--verdicts', '--json', '/no/such/folder/x.json'], /there is no folder/],
    [['--verdicts', '--arms', 'measured:verdict.uncertain=0.9'], /verdict.uncertain=0.9: must be at most/],
  ])('refuses %j', async (options, message) => {
    const { error } = await replay(join(folder, 'lamps'), ...options)
    expect(String((error as Error).message)).toMatch(message)
  })

  it('ends with what is wrong with the questions without an answer, before it asks any', async () => {
    const broken = join(folder, 'broken')
    await mkdir(broken)
    await writeFile(join(broken, 'corpus.jsonl'), lines([{ doc_id: 'd', title: '', text: textOf(1) }]))
    await writeFile(join(broken, 'queries.jsonl'), lines([{ id: 'q', query: 'lamp', gold: [{ doc_id: 'd' }] }]))
    await writeFile(join(broken, 'unanswerable.jsonl'), '{"id":"u"}')
    const { error, shown } = await replay(broken, '--verdicts')
    expect(String((error as Error).message)).toContain('unanswerable.jsonl:1: query')
    expect(shown).not.toContain('ask')
  })
})
