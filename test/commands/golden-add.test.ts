import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addGoldenCommand } from '../../src/commands/golden.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { printJson } from '../../src/qdrant/json.ts'
import { openGoldenDocuments, openLiveCollection, referenceTokens } from '../../src/wiring/commands.ts'
import { chunk, fill } from '../support/points.ts'
import { runCommand } from '../support/run-command.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const GREATEST = 18446744073709551615n
let server: EmbeddedServer
let folder = ''
beforeAll(async () => {
  vi.stubEnv('EMBEDDER', 'none')
  server = await startEmbeddedServer({})
  await fill(server.url, 'docs', [
    chunk(String(GREATEST), 'The lamp of hall one burns for nine hours.\nIt is made of copper.'),
    chunk(2, 'The lamp of hall two burns for \u001b[31mseven hours.'),
  ])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})
beforeEach(() => {
  folder = temporaryFolder('golden-add')
})

const [found] = sampleTrace().candidates
type Seen = Parameters<typeof sampleTrace>[0]
const trace = (query: string | null, more: Seen = {}) =>
  printJson(
    sampleTrace({
      query,
      candidates: [
        { ...found, id: 2, decision: 'dropped', position: null, reason: 'over_budget', final: 0.4 },
        { ...found, id: 99, decision: 'dropped', position: null, reason: 'redundant', final: 0.3 },
        { ...found, id: GREATEST, position: 1 },
      ] as NonNullable<Seen>['candidates'],
      ...more,
    }),
  )

/** Runs `golden add` with these lines as input. */
async function add(typed: string[], ...more: string[]) {
  const input = new PassThrough()
  input.end(typed.map(line => `${line}\n`).join(''))
  return runCommand(
    (program, { out }) =>
      addGoldenCommand(program, {
        input,
        out,
        openCollection: openLiveCollection,
        openDocuments: openGoldenDocuments,
        countTokens: async () => referenceTokens(),
      }),
    ...['golden', 'add', '--traces', join(folder, 'traces.jsonl'), '--into', join(folder, 'set'), '--url', server.url],
    ...more,
  )
}
const traces = (...lines: string[]) => writeFile(join(folder, 'traces.jsonl'), `${lines.join('\n')}\n`)
const kept = async (name: string) => readFile(join(folder, 'set', name), 'utf8').catch(() => '')

describe('stowage golden add', () => {
  it('shows packed passages first with the texts of now, and keeps marks as points with their texts', async () => {
    await traces(trace('how long does the lamp burn?', { tenant: 'acme' }))
    const { out, error } = await add(['?', '4', '1 3', '1, 2'])
    expect(error).toBeNull()
    expect(out).toMatch(/1\/1, definition, tenant acme\nhow long does the lamp burn\?/)
    expect(out).toMatch(/ {2}1 {2}Document 18446744073709551615 > Section \[packed\]\n {5}The lamp of hall one/)
    expect(out).toMatch(/ {2}2 {2}Document 2 > Section \[dropped: over_budget\]/)
    expect(out).toMatch(/ {2}3 {2}d > A > B \[dropped: redundant\]\n {5}\(the point is gone/)
    expect(out).toContain('"4" is not understood. The numbers are 1 to 3')
    expect(out).toContain('There is no text to mark in 3.')
    expect(out).not.toContain('\u001b')
    expect(out).toContain('1 marked, 0 without an answer, 0 skipped, 0 left')
    const [line = ''] = (await kept('queries.jsonl')).split('\n')
    expect(line).toContain('"gold":[{"point_id":18446744073709551615,"text":"The lamp of hall one')
    expect(JSON.parse(line)).toMatchObject({
      query: 'how long does the lamp burn?',
      tenant: 'acme',
      intent: 'definition',
    })
  })

  it('keeps pasted texts, questions without an answer, skips and steps back, and every answer at once', async () => {
    await traces(trace('one?'), trace('two?'), trace('three?'), trace('four?'))
    const { out } = await add(['a', 'A text of', '1', '', 'n', 'b', 's', 'b', 'b', '1', 'n', 'q'], '--seed', '3')
    expect(out).toContain('1 marked, 1 without an answer, 0 skipped, 2 left')
    const rows = (await kept('queries.jsonl')).trim().split('\n')
    expect(rows).toHaveLength(1)
    const unanswerable = (await kept('unanswerable.jsonl'))
      .trim()
      .split('\n')
      .map(row => JSON.parse(row))
    expect(unanswerable).toMatchObject([{ unanswerable: true }])
    // A second run goes on where the first one ended.
    const second = await add(['a', 'A text of', '1', ''], '--seed', '3')
    expect(second.out).toContain('4 traces, 4 distinct questions; 2 are in the folder already')
    expect(second.out).toContain('1 marked, 0 without an answer, 0 skipped, 1 left')
    expect(JSON.parse((await kept('queries.jsonl')).trim().split('\n')[1] ?? '')).toMatchObject({
      gold: [{ text: 'A text of\n1' }],
    })
  })

  it('reads rotated files, each question once, and no runs of shadows or replays, digests or broken lines', async () => {
    await writeFile(join(folder, 'traces.jsonl.1'), `${trace('Who?')}\n${trace('old?')}\n`)
    await traces(
      trace('who'),
      trace('shadow?', { shadow_of: 'x' }),
      trace('replay?', { endpoint: 'replay' }),
      trace(`sha256:${'0'.repeat(32)}`),
      trace(null),
      '{broken',
      `${trace('torn?').slice(0, 90)}`,
    )
    await writeFile(join(folder, 'traces.jsonl'), (await readFile(join(folder, 'traces.jsonl'), 'utf8')).trimEnd())
    const { out } = await add(['q'])
    expect(out).toContain('5 traces, 2 distinct questions; 2 traces have no query text; 1 line was not understood')
    expect(out).toContain('2 left')
  })

  it('samples from all intents in turn, the same for the same seed', async () => {
    const of = (label: 'procedure' | 'definition', at: number) =>
      trace(`${label} number ${at}?`, { intent: { label, rule: '' } })
    await traces(...Array.from({ length: 20 }, (_, at) => of('procedure', at)), of('definition', 1))
    const shown = async (...more: string[]) =>
      (await add(['s', 's', 's', 's'], ...more)).out.match(/\w+ number \d+\?/gu)
    const four = await shown('--sample', '4')
    expect(four).toContain('definition number 1?')
    expect(four).toHaveLength(4)
    expect(await shown('--sample', '3')).toEqual(four?.slice(0, 3))
    expect(await shown('--sample', '4', '--seed', '8')).not.toEqual(four)
  })

  it('goes on after a row whose writing was cut off, and leaves a broken row alone', async () => {
    await traces(trace('one?'))
    await add(['1'])
    const whole = await kept('queries.jsonl')
    await writeFile(join(folder, 'set', 'queries.jsonl'), `${whole}{"id":"trace-x","query":"to`)
    await traces(trace('two?'))
    expect((await add(['1'])).error).toBeNull()
    const rows = (await kept('queries.jsonl'))
      .trim()
      .split('\n')
      .map(row => JSON.parse(row).query)
    expect(rows).toEqual(['one?', 'two?'])
    await writeFile(join(folder, 'set', 'queries.jsonl'), `{"id"\n${whole}`)
    expect((await add(['1'])).error).toMatchObject({ code: 'bad_request' })
  })

  it('removes no row that a person wrote, and reads files with a byte order mark', async () => {
    await traces(trace('one?'))
    const mine = '{"id":"a","query":"what?","gold":[{"text":"that"}]}'
    const keepsAll = async (before: string) => {
      await mkdir(join(folder, 'set'), { recursive: true })
      await writeFile(join(folder, 'set', 'queries.jsonl'), before)
      const { error } = await add(['1'])
      expect((await kept('queries.jsonl')).startsWith(before)).toBe(true)
      return error
    }
    expect(await keepsAll(`\uFEFF${mine}`)).toBeNull()
    expect(await keepsAll(`\uFEFF${mine}\r\n${mine}\r\n`)).toBeNull()
    expect(await keepsAll(`${mine}\n${mine},`)).toMatchObject({
      message: expect.stringContaining('queries.jsonl:2: is not a row'),
    })
  })

  it('names what keeps it from beginning', async () => {
    await traces(trace(null))
    expect((await add([])).error).toMatchObject({ message: expect.stringContaining('without the text of the query') })
    await traces(trace('a?'), trace('b?', { collections: ['other'] }))
    expect((await add([])).error).toMatchObject({ message: expect.stringContaining('of docs, other; choose one') })
    expect((await add([], '--collection', 'other')).out).toContain('1 left')
    await rm(join(folder, 'traces.jsonl'))
    expect((await add([])).error).toMatchObject({ code: 'bad_request' })
  })
})
