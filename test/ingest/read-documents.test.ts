import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDocuments, type SourceDocument } from '../../src/ingest/read-documents.ts'
import { decodeUtf8, splitLines } from '../../src/ingest/text-files.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'stowage-read-'))
})
afterAll(() => rm(root, { recursive: true }))

async function lay(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(root, 'f-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

async function readAll(path: string): Promise<{ total: number; documents: SourceDocument[] }> {
  const { total, documents } = await openDocuments(path)
  const all: SourceDocument[] = []
  for await (const document of documents) all.push(document)
  return { total, documents: all }
}

describe('openDocuments, files', () => {
  it('reads a folder in the order of its paths', async () => {
    const folder = await lay({
      'b.md': 'text b',
      'a/z.txt': 'text z',
      'a/deep/y.markdown': 'text y',
      'README.MD': 'text r',
      'picture.png': 'no',
      '.git/x.md': 'no',
      'node_modules/m/x.md': 'no',
      'queries.txt': 'text q',
    })
    await symlink(folder, join(folder, 'loop'))
    const { total, documents } = await readAll(folder)
    expect(documents.map(({ docId }) => docId)).toEqual([
      'README.MD',
      'a/deep/y.markdown',
      'a/z.txt',
      'b',
      'queries.txt',
    ])
    expect(total).toBe(5)
    expect(documents.at(-2)).toEqual({ docId: 'b', title: 'b', text: 'text b' })
  })

  it('reads one file under its own name', async () => {
    const folder = await lay({ 'x/one.md': '# The One ##\r\n\r\ntext\r\n' })
    expect((await readAll(join(folder, 'x/one.md'))).documents).toEqual([
      { docId: 'one', title: 'The One', text: '# The One ##\n\ntext\n' },
    ])
  })

  it.each([
    ['---\ntitle: "Set: up"\ntags: a\n---\n# Other\n', 'Set: up'],
    ["---\r\ntitle: 'It''s'\r\n---\r\ntext", "It''s"],
    ['---\ntags: a\n---\n\n# Heading *one*\n', 'Heading *one*'],
    ['\n\n# First\n', 'First'],
    ['## Second level\n', 'name'],
    ['text\n# Later\n', 'name'],
    ['', 'name'],
  ])('finds the title of %j', async (text, title) => {
    const folder = await lay({ 'name.md': text })
    expect((await readAll(folder)).documents[0]?.title).toBe(title)
  })

  it('drops a byte order mark and warns of bytes that are no UTF-8, naming the file', async () => {
    const folder = await lay({ 'bom.md': '\uFEFF# A', 'broken.md': Uint8Array.from([0x61, 0xff, 0x62, 0xc3]) })
    const { documents } = await readAll(folder)
    expect(documents[0]).toEqual({ docId: 'bom', title: 'A', text: '# A' })
    expect(documents[1]).toMatchObject({
      docId: 'broken',
      text: 'a\uFFFDb\uFFFD',
      warning: expect.stringContaining('broken.md'),
    })
  })

  it('reads the documents of a golden set and not its queries', async () => {
    const folder = await lay({ 'corpus/a.md': 'a', 'corpus/b/c.md': 'c', 'queries.jsonl': '{}', 'README.md': 'no' })
    expect((await readAll(folder)).documents.map(({ docId }) => docId)).toEqual(['a', 'b/c'])
  })

  it('says that there is nothing to read', async () => {
    const folder = await lay({ 'a.pdf': 'x' })
    await expect(openDocuments(folder)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(folder),
    })
    await expect(openDocuments(join(folder, 'absent'))).rejects.toMatchObject({ code: 'bad_request' })
    const golden = await lay({ 'queries.jsonl': '{}' })
    await expect(openDocuments(golden)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('corpus'),
    })
  })
})

describe('openDocuments, JSON lines', () => {
  it('reads golden and BEIR rows, from the file or its folder', async () => {
    const rows = [
      '{"doc_id":"a/1","title":"A","text":"one\\ntwo"}',
      '',
      '{"_id":"b","title":"B","text":"three","metadata":{}}\r',
      '{"_id":"c","text":""}',
    ]
    const folder = await lay({ 'corpus.jsonl': rows.join('\n'), 'queries.jsonl': '{}', 'notes.md': 'no' })
    const expected = [
      { docId: 'a/1', title: 'A', text: 'one\ntwo' },
      { docId: 'b', title: 'B', text: 'three' },
      { docId: 'c', title: '', text: '' },
    ]
    expect(await readAll(folder)).toEqual({ total: 4, documents: expected })
    expect((await readAll(join(folder, 'corpus.jsonl'))).documents).toEqual(expected)
  })

  it.each([
    ['{"doc_id":"x","text":"t"', /not JSON/],
    ['[1]', /expected object/],
    ['null', /expected object/],
    ['{"doc_id":"","text":"t"}', /doc_id/],
    ['{"doc_id":5,"text":"t"}', /doc_id/],
    ['{"doc_id":"x"}', /text: .*expected string/],
    ['{"doc_id":"x","text":"t","title":5}', /title: .*expected string/],
  ])('names file and line of the row %s', async (row, fault) => {
    const folder = await lay({ 'corpus.jsonl': `{"doc_id":"ok","text":"t"}\n\n${row}\n` })
    const failure = await readAll(folder).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'bad_request', message: expect.stringMatching(fault) })
    expect(String(failure)).toContain('corpus.jsonl:3:')
  })

  it('warns of broken bytes in a row, naming its line', async () => {
    const row = Buffer.concat([Buffer.from('{"doc_id":"x","text":"a'), Buffer.from([0xff]), Buffer.from('"}\n')])
    const folder = await lay({ 'corpus.jsonl': row })
    expect((await readAll(folder)).documents).toEqual([
      { docId: 'x', title: '', text: 'a\uFFFD', warning: expect.stringContaining('corpus.jsonl:1') },
    ])
  })
})

describe('splitLines', () => {
  it('gives the same lines however the bytes arrive', async () => {
    const part = fc.oneof(fc.constantFrom('\n', '\n\n', 'é', '漢'), fc.string({ maxLength: 5 }))
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), fc.integer({ min: 1, max: 7 }), async (parts, size) => {
        const text = parts.join('')
        const bytes = Buffer.from(text)
        async function* stream() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const lines: string[] = []
        for await (const line of splitLines(stream())) lines.push(decodeUtf8(line).text)
        const expected = text.split('\n')
        if (expected.at(-1) === '') expected.pop()
        // The decoder drops a byte order mark wherever a line begins with one.
        expect(lines).toEqual(expected.map(line => line.replace(/^\uFEFF/, '')))
      }),
      { numRuns: 200 },
    )
  })
})
