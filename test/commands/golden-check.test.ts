import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addGoldenCommand } from '../../src/commands/golden.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { splitOf } from '../../src/evaluation/golden-set/split.ts'
import { openGoldenDocuments, openLiveCollection, referenceTokens } from '../../src/wiring/commands.ts'
import { chunk, fill } from '../support/points.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let server: EmbeddedServer
let folder = ''
beforeAll(async () => {
  vi.stubEnv('EMBEDDER', 'none')
  server = await startEmbeddedServer({})
  folder = temporaryFolder('golden-check')
  await fill(server.url, 'docs', [
    chunk(1, 'The lamp of hall one burns for nine hours.', { tenant: 'acme', char_start: 0, char_end: 42 }),
    chunk(2, 'The lamp of hall two burns for seven hours.', { tenant: 'zenith' }),
  ])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

async function write(files: Record<string, unknown[]>): Promise<void> {
  for (const [name, rows] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), rows.map(row => JSON.stringify(row)).join('\n'))
  }
}

async function check(...line: string[]) {
  const ended = await runCommand(
    (program, { out }) =>
      addGoldenCommand(program, {
        out,
        input: new PassThrough(),
        openCollection: openLiveCollection,
        openDocuments: openGoldenDocuments,
        countTokens: async () => referenceTokens(),
      }),
    'golden',
    'check',
    ...line,
  )
  return { ...ended, code: (ended.error as { code?: string } | null)?.code ?? null }
}

const codes = (out: string) =>
  (JSON.parse(out) as { findings: { place: string; code: string }[] }).findings.map(({ place, code }) => [place, code])

test('a live collection: golds that are gone, and golds that tenant or filter keep from their query', async () => {
  const gold = [{ point_id: 1 }]
  await write({
    'asked.jsonl': [
      { id: 'a', query: 'how long burns the first lamp?', tenant: 'acme', gold },
      { id: 'b', query: 'how long does it burn?', tenant: 'zenith', gold },
      { id: 'c', query: 'who holds the lamp?', tenant: 'nobody', gold },
      {
        id: 'd',
        query: 'where is the lamp?',
        filter: { must: [{ key: 'doc_id', match: { value: 'doc-2' } }] },
        gold: [{ doc_id: 'doc-1' }],
      },
      { id: 'e', query: 'what else?', gold: [{ point_id: 77 }] },
      { id: 'e', query: 'what now?', gold: [{ text: 'anything' }] },
    ],
  })
  const ended = await check(join(folder, 'asked.jsonl'), '--url', server.url, '--collection', 'docs', '--json')
  expect(ended.code).toBe('unprocessable')
  expect(codes(ended.out).filter(([, code]) => code !== 'leaked_gold')).toEqual([
    ['asked.jsonl:6', 'equal_ids'],
    ['asked.jsonl:5', 'gold_missing'],
    ['asked.jsonl:2', 'gold_filtered_out'],
    ['asked.jsonl:3', 'nothing_passes'],
    ['asked.jsonl:4', 'gold_filtered_out'],
  ])
})

test('a live collection: spans without the text that stood there', async () => {
  await write({
    'spans.jsonl': [
      { id: 'a', query: 'how long burns the first lamp?', gold: [{ doc_id: 'doc-1', start: 4, end: 15 }] },
      { id: 'b', query: 'who lights it?', gold: [{ doc_id: 'doc-1', start: 0, end: 8, text: 'The lamp' }] },
    ],
  })
  const ended = await check(join(folder, 'spans.jsonl'), '--url', server.url, '--collection', 'docs', '--json')
  expect(codes(ended.out).filter(([, code]) => code !== 'leaked_gold')).toEqual([
    ['spans.jsonl:1', 'span_without_text'],
  ])
})

test('a folder: spans without `text` in files with CRLF or a byte order mark', async () => {
  const text = '# Lamps\n\nThe lamp of hall one burns for nine hours.\n'
  await write({
    'windows/queries.jsonl': ['unix', 'crlf', 'marked'].flatMap((doc_id, at) => [
      { id: `a${at}`, query: `how long burns lamp ${at}?`, gold: [{ doc_id, start: 9, end: 50 }] },
      { id: `b${at}`, query: `what burns in hall ${at}?`, gold: [{ doc_id, start: 9, end: 17, text: 'The lamp' }] },
    ]),
  })
  const corpus = join(folder, 'windows', 'corpus')
  await mkdir(corpus)
  await writeFile(join(corpus, 'unix.md'), text)
  await writeFile(join(corpus, 'crlf.md'), text.replaceAll('\n', '\r\n'))
  await writeFile(join(corpus, 'marked.md'), `\uFEFF${text}`)
  const ended = await check(join(folder, 'windows'), '--json')
  expect(codes(ended.out).filter(([, code]) => code === 'span_without_text')).toEqual([
    ['queries.jsonl:3', 'span_without_text'],
    ['queries.jsonl:5', 'span_without_text'],
  ])
})

test('a folder: filters are asked of its documents; warnings alone exit 0', async () => {
  const filter = (value: string) => ({ must: [{ key: 'doc_id', match: { value } }] })
  const gold = [{ doc_id: 'd' }]
  await write({
    'set/corpus.jsonl': [
      { doc_id: 'd', title: 'D', text: 'The lamp burns.' },
      { doc_id: 'e', title: 'E', text: 'The bell rings.' },
    ],
    'set/queries.jsonl': [
      { id: 'a', query: 'what burns?', filter: filter('d'), gold },
      { id: 'b', query: 'what glows?', filter: filter('e'), gold },
      { id: 'c', query: 'what shines?', filter: filter('f'), gold },
      { id: 'd', query: 'what rings?', filter: { must: [{ key: 'doc_id', match: { valu: 'd' } }] }, gold },
    ],
  })
  const failed = await check(join(folder, 'set'), '--json')
  expect(codes(failed.out).filter(([, code]) => code !== 'leaked_gold')).toEqual([
    ['queries.jsonl:2', 'gold_filtered_out'],
    ['queries.jsonl:3', 'nothing_passes'],
    ['queries.jsonl:4', 'unreadable'],
  ])
  await write({ 'set/queries.jsonl': [{ id: 'a', query: 'what burns?', gold: [...gold, ...gold] }] })
  const warned = await check(join(folder, 'set'))
  expect(warned.error).toBeNull()
  expect(warned.out).toContain('warning gold_overlap (1)')
  expect(warned.out).toContain('0 errors, 1 warning\n')
})

test('a training set and a test set must share nothing; wrong use is refused', async () => {
  await write({
    'tuning/corpus.jsonl': [{ doc_id: 'd', title: 'D', text: 'The lamp burns.' }],
    'tuning/queries.jsonl': [{ id: 'a', query: 'what burns?', gold: [{ doc_id: 'd' }] }],
  })
  const same = await check('--train', join(folder, 'tuning'), '--test', join(folder, 'tuning'), '--json')
  expect(codes(same.out)).toEqual([
    ['queries.jsonl:1', 'leaked_question'],
    ['queries.jsonl:1', 'leaked_gold'],
  ])
  expect((await check('--train', join(folder, 'tuning'))).code).toBe('bad_request')
  expect((await check()).code).toBe('bad_request')
  expect((await check('./nowhere')).code).toBe('bad_request')
})

test('each command says what it does with the collection', () => {
  const program = new Command()
  addGoldenCommand(program, {
    out: new PassThrough(),
    input: new PassThrough(),
    openCollection: openLiveCollection,
    openDocuments: openGoldenDocuments,
    countTokens: async () => referenceTokens(),
  })
  const golden = program.commands.find(command => command.name() === 'golden')
  const meanings = golden?.commands.map(command => [
    command.name(),
    command.options.find(({ long }) => long === '--collection')?.description,
  ])
  expect(meanings).toEqual([
    ['check', expect.stringMatching(/^look the gold passages up in this collection/u)],
    ['add', expect.stringMatching(/^mark the questions that were asked of this collection/u)],
  ])
})

test('a question without a gold passage belongs elsewhere, one error is one error, and a set is called as it was given', async () => {
  const good = { id: 'a', query: 'how long burns the first lamp?', gold: [{ point_id: 1 }] }
  const unanswerable = { id: 'b', query: 'who built the lamp?', unanswerable: true }
  await write({ 'mixed.jsonl': [good, unanswerable], 'empty.jsonl': [good, { ...unanswerable, gold: [] }] })
  const live = ['--url', server.url, '--collection', 'docs']
  for (const name of ['mixed', 'empty']) {
    const ended = await check(join(folder, `${name}.jsonl`), ...live)
    expect(ended.out).toContain(`${name}.jsonl:2  gold: must be a list with a gold passage`)
    expect(ended.out).toContain('belongs into unanswerable.jsonl')
    expect((ended.error as Error).message).toBe(`1 error in ${name}`)
  }
  const before = process.cwd()
  try {
    process.chdir(folder)
    expect(((await check('mixed.jsonl')).error as Error).message).toContain('golden set mixed.jsonl: corpus is missing')
  } finally {
    process.chdir(before)
  }
})

test('looks for leaks between the halves that replay --tune makes with the same share', async () => {
  const ids = Array.from({ length: 50 }, (_, number) => `q${number}`)
  const idIn = (half: 'train' | 'test') =>
    ids.find(id => splitOf({ id, split: null }) === half && splitOf({ id, split: null }, 0.95) === 'train') ?? ''
  const rowOf = (id: string) => ({ id, query: 'How long does it burn?', gold: [{ doc_id: 'lamp' }] })
  await write({
    'halves/corpus.jsonl': [{ doc_id: 'lamp', text: 'The lamp burns for nine hours.' }],
    'halves/queries.jsonl': [idIn('train'), idIn('test')].map(rowOf),
  })
  const found = async (...more: string[]) =>
    codes((await check(join(folder, 'halves'), '--json', ...more)).out).map(([, code]) => code)
  expect(await found()).toEqual(['leaked_question', 'leaked_gold'])
  expect(await found('--train-share', '0.95')).toEqual(['equal_questions'])
})
