import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { chunkMarkdown } from '../../src/ingest/chunking/chunk-markdown.ts'
import { type OpenOptions, openDocuments } from '../../src/ingest/read-documents.ts'
import type { SkippedDocument, SkippedFolder, SourceDocument } from '../../src/ingest/source-document.ts'
import { decodeUtf8, splitLines } from '../../src/ingest/text-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let root: string
beforeAll(() => {
  root = temporaryFolder('stowage-read')
})

async function lay(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(root, 'f-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

async function readAll(path: string, options?: OpenOptions) {
  const { total, skipped, documents } = await openDocuments(path, options)
  const all: SourceDocument[] = []
  const unread: (SkippedDocument | SkippedFolder)[] = []
  for await (const document of documents) {
    if ('text' in document) all.push(document)
    else unread.push(withoutSize(document))
  }
  return { total, skipped, documents: all, unread }
}

/** Its size is the topic of a test of its own. */
function withoutSize(document: SkippedDocument | SkippedFolder): SkippedDocument | SkippedFolder {
  if ('idsBegin' in document) return document
  const { bytes: _bytes, ...rest } = document
  return rest
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
      'z.rst': 'text z',
    })
    await symlink(folder, join(folder, 'loop'))
    const { total, documents } = await readAll(folder)
    expect(documents.map(({ docId }) => docId)).toEqual([
      'README.MD',
      'a/deep/y.markdown',
      'a/z.txt',
      'b',
      'queries.txt',
      'z.rst',
    ])
    expect(total).toBe(6)
    expect(documents[3]).toMatchObject({ docId: 'b', title: 'b', text: 'text b' })
    const plain = documents.filter(({ isPlain }) => isPlain)
    expect(plain.map(({ docId }) => docId)).toEqual(['a/z.txt', 'queries.txt', 'z.rst'])
  })

  it('tells the size of each document in the source, and of all, whatever its format', async () => {
    const words = JSON.stringify({ cells: [{ cell_type: 'markdown', source: 'Words.' }] })
    const folder = await lay({ 'a.md': '# Zoë', 'b.bin.txt': Uint8Array.of(0, 1, 2), 'c.ipynb': words })
    const rows = await lay({ 'corpus.jsonl': '{"_id":1,"text":"Zoë"}\n\n{"_id":2,"text":"b"}' })
    const sized = async (path: string) => {
      const { bytes, documents } = await openDocuments(path)
      const sizes: unknown[] = []
      for await (const entry of documents) sizes.push('bytes' in entry ? entry.bytes : null)
      return { bytes, sizes }
    }
    expect(await sized(folder)).toEqual({ bytes: 9 + words.length, sizes: [6, 3, words.length] })
    expect(await sized(join(rows, 'corpus.jsonl'))).toEqual({ bytes: 23 + 20, sizes: [23, 20] })
  })

  it('reads one file under its own name', async () => {
    const folder = await lay({ 'x/one.md': '# The One ##\r\n\r\ntext\r\n' })
    expect((await readAll(join(folder, 'x/one.md'))).documents).toMatchObject([
      { docId: 'one', title: 'The One', text: '# The One ##\n\ntext\n' },
    ])
  })

  it('reads the name of a saved file without escapes where it is the title, and keeps the id', async () => {
    const folder = await lay({ 'Standard%20NDA.txt': 'Both parties agree.', 'Its%20name.md': '# A title\n\ntext' })
    expect((await readAll(folder)).documents).toMatchObject([
      { docId: 'Its%20name', title: 'A title' },
      { docId: 'Standard%20NDA.txt', title: 'Standard NDA' },
    ])
    const row = JSON.stringify({
      doc_id: 'nda%20by%20Axial.txt',
      title: 'NDA%20by%20Axial',
      text: 'Both parties agree.',
    })
    const rows = await lay({ 'corpus.jsonl': row })
    expect((await readAll(join(rows, 'corpus.jsonl'))).documents).toMatchObject([
      { docId: 'nda%20by%20Axial.txt', title: 'NDA by Axial' },
    ])
  })

  it.each([
    ['---\ntitle: "Set: up"\ntags: a\n---\n# Other\n', 'Set: up'],
    ["---\r\ntitle: 'It''s'\r\n---\r\ntext", "It's"],
    ['---\ntags: a\n---\n\n# Heading *one*\n', 'Heading one'],
    ['\n\n# First\n', 'First'],
    ['[![build](a.svg)](b)\n\n# Tides [![npm](c)](d)\n', 'Tides'],
    ['# <img src="a.png">\n\ntext\n', 'name'],
    ['## Second level\n', 'name'],
    ['## tide gauge list\n\nLists gauges.\n\n### Options\n\nNone.\n', 'tide gauge list'],
    ['## Options\n\nNone.\n\n### Long\n\n## Examples\n', 'name'],
    ['### Note\n\ntext\n\n#### More\n', 'name'],
    ['% tide-gauge(1) Manual of gauges\n% Zoë\n% May 2026\n\n# NAME\n\ntide-gauge\n', 'tide-gauge(1)'],
    ['% tide-gauge 8\n\n## NAME\n\ntide-gauge\n', 'tide-gauge(8)'],
    ['% How tides *rise*\n  and fall\n\n# The moon\n', 'How tides rise and fall'],
    ['% Chapter 1 The tides\n\nThey rise.\n', 'Chapter 1 The tides'],
    ['% gauges 2 of the harbour\n\nThey float.\n', 'gauges 2 of the harbour'],
    ['% tide-gauge 8 "May 2026"\n\n## NAME\n', 'tide-gauge(8)'],
    ['100 % of it\n% is water\n', 'name'],
    ['text\n# Later\n', 'name'],
    ['', 'name'],
    ['\n\nTide *tables*\n=====\n\ntext', 'Tide tables'],
    ['Tide tables\n-----\n\ntext', 'name'],
    ['text\n\nTide tables\n=====\n', 'name'],
  ])('finds the title of %j', async (text, title) => {
    const folder = await lay({ 'name.md': text })
    expect((await readAll(folder)).documents[0]?.title).toBe(title)
  })

  const releases = '# Unreleased\n\n# 2.0.0 - 3 May\n\nGates close.\n\n## Fixed\n\n# 1.0.0 - 1 May\n\nThe first.\n'
  const chapters = 'The tide\n========\n\nIt rises.\n\nThe moon\n========\n\nIt pulls.\n'
  const project = '# Gatekeeper\n\nCloses gates.\n\n# Usage\n\nRun it.\n'
  const labels =
    '.. _gauge:\n.. A comment\n   in two lines.\n\n:author: Zoë\n\n..\n\nTide gauge\n==========\n\nIt floats.\n'
  it.each([
    ['gatekeeper-changelog.md', releases, 'gatekeeper-changelog'],
    ['handbook.txt', chapters, 'handbook'],
    ['README.md', project, 'Gatekeeper'],
    ['readme_v2.txt', project, 'Gatekeeper'],
    ['index.md', project, 'Gatekeeper'],
    ['settings.txt', '# how often\ninterval = 5\n', 'settings'],
    ['labels.rst', labels, 'Tide gauge'],
    ['labels.md', labels, 'labels'],
    ['stars.rst', '.. _tides:\n\n******\n Tides\n******\n\nThey rise.\n\nMoon\n====\n\nIt pulls.\n', 'Tides'],
    ['chapters.rst', '####\nTide\n####\n\nIt rises.\n\n####\nMoon\n####\n\nIt pulls.\n', 'chapters'],
    ['box.txt', '*****\n* Tides *\n*****\n\nThey rise.\n', 'box'],
    ['preface.rest', `It rises.\n\n${labels}`, 'preface'],
    ['code.md', '# Gates\n\n```sh\n# as root\n```\n', 'Gates'],
  ])('names %s after its file when it has several first headings and is no README', async (name, text, title) => {
    expect((await readAll(await lay({ [name]: text }))).documents[0]?.title).toBe(title)
  })

  it('leaves out the title block of Pandoc, in Markdown only', async () => {
    const text = '% tide-gauge 1\n% Zoë\n\n## NAME\n\ntide-gauge - reads a gauge\n'
    const { documents } = await readAll(await lay({ 'gauge.md': text, 'gauge.txt': text }))
    expect(documents).toMatchObject([{ text: '\n## NAME\n\ntide-gauge - reads a gauge\n' }, { text }])
  })

  it.each([
    '% of all gauges float\n  in oil.\nThe others sink.\n',
    '% gauges\n% float\n% in\n% oil\n\nThey sink.\n',
    `% gauges\n${'    float()\n'.repeat(20)}\nThey sink.\n`,
  ])('keeps lines with its sign that are no title block: %j', async text => {
    const { documents } = await readAll(await lay({ 'gauge.md': text }))
    expect(documents).toMatchObject([{ text, title: 'gauge' }])
  })

  it('reads letters that nroff has struck twice once, and underlined ones without their lines', async () => {
    const folder = await lay({ 'gate.txt': 'G\bGa\bat\bt\bte\be\n====\n\nOpen the _\bv_\ba_\bl_\bv_\be.\n' })
    expect((await readAll(folder)).documents).toMatchObject([
      { title: 'Gate', text: 'Gate\n====\n\nOpen the valve.\n' },
    ])
  })

  it('drops a byte order mark and warns of bytes that are no UTF-8, naming the file', async () => {
    const folder = await lay({
      'bom.md': '\uFEFF# A',
      'broken.md': Buffer.concat([Buffer.from('Zoë'), Uint8Array.of(0xff, 0x62, 0xc3)]),
    })
    const { documents } = await readAll(folder)
    expect(documents[0]).toMatchObject({ docId: 'bom', title: 'A', text: '# A' })
    expect(documents[1]).toMatchObject({
      docId: 'broken',
      text: 'Zoë\uFFFDb\uFFFD',
      warning: expect.stringContaining('broken.md'),
    })
  })

  it.each([
    ['Windows-1252', Buffer.from('Die Fähre fährt für Zoë.', 'latin1'), 'Die Fähre fährt für Zoë.'],
    [
      'signs that Latin-1 lacks',
      Buffer.from('\x93F\xE4hre\x94 \x96 5 \x80, it\x92s\x85 \x8A\x9F', 'latin1'),
      '“Fähre” – 5 €, it’s… ŠŸ',
    ],
    ['bytes that Windows-1252 does not define', Uint8Array.of(0x61, 0xe9, 0x20, 0x81), 'a\uFFFD \uFFFD'],
    ['broken bytes behind the mark of UTF-8', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xe9), 'a\uFFFD'],
  ])('reads %s with a warning', async (_, bytes, text) => {
    const { documents } = await readAll(await lay({ 'old.txt': bytes }))
    expect(documents).toMatchObject([{ text, warning: expect.stringMatching(/old\.txt is not valid UTF-8/) }])
  })

  it.each(['\n', '\r\n', '\r'])('reads front matter and lines that end in %j', async end => {
    const folder = await lay({ 'a.md': ['---', 'title: Set up', '---', '# Tides', 'Text.'].join(end) })
    expect((await readAll(folder)).documents).toMatchObject([{ title: 'Set up', text: '# Tides\nText.' }])
  })

  it('begins every id with the name of the source, whatever folder is given', async () => {
    const folder = await lay({ 'docs/a.md': 'a', 'docs/sub/b.mdx': 'b', 'rows.jsonl': '{"doc_id":"r","text":"t"}' })
    const ids = async (path: string, source: string) =>
      (await readAll(join(folder, path), { source })).documents.map(({ docId }) => docId)
    expect(await ids('docs', 'book')).toEqual(['book/a', 'book/sub/b.mdx'])
    expect(await ids('docs/sub', 'book/sub')).toEqual(['book/sub/b.mdx'])
    expect(await ids('docs/a.md', 'book')).toEqual(['book/a'])
    expect(await ids('rows.jsonl', 'book')).toEqual(['book/r'])
  })

  it('counts the files that it leaves out, by kind', async () => {
    const paths = [
      'a.md',
      'x.PNG',
      'b/y.png',
      'LICENSE',
      'c.odt',
      '.git/x.md',
      '.draft.md',
      '._a.md',
      'node_modules/m/x.md',
    ]
    const folder = await lay(Object.fromEntries(paths.map(path => [path, 'text'])))
    const { total, skipped } = await readAll(folder)
    expect(total).toBe(1)
    const others = { '.odt': 1, 'without extension': 1, 'hidden folder': 1, 'hidden file': 2, node_modules: 1 }
    expect(skipped).toEqual({ '.png': 2, ...others })
  })

  it('counts a named pipe as a special file', async () => {
    const folder = await lay({ 'a.md': 'text' })
    execFileSync('mkfifo', [join(folder, 'pipe.md')])
    await symlink(join(folder, 'a.md'), join(folder, 'link.md'))
    expect((await readAll(folder)).skipped).toEqual({ 'special file': 1, link: 1 })
  })

  it('names a folder that cannot be read, and reads the rest', async () => {
    const folder = await lay({ 'rota.md': 'The night watch.', 'archive.md/old.md': 'The old rota.' })
    // Longer than a path may be, so that root cannot read it either.
    const long = join(...Array.from({ length: 12 }, () => 'n'.repeat(200)))
    const [outer, inner] = [join(folder, 'archive.md', long), await lay({})]
    await mkdir(outer, { recursive: true })
    await mkdir(join(inner, long), { recursive: true })
    await rename(inner, join(outer, 'inner'))
    const { documents, unread } = await readAll(folder, { source: 'watch' })
    await rename(join(outer, 'inner'), inner)
    expect(documents.map(({ docId }) => docId)).toEqual(['watch/archive.md/old', 'watch/rota'])
    expect(unread).toEqual([
      {
        idsBegin: expect.stringMatching(/^watch\/archive\.md\/.*\/$/),
        skipped: 'unreadable folder',
        warning: expect.stringMatching(/archive\.md.* cannot be read: ENAMETOOLONG/),
      },
    ])
  })

  it('names files that are no text, and reads UTF-16 that says so', async () => {
    const text = '# Tide\n\nThe gauge is read at dawn.'
    const big = Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
    const folder = await lay({
      'big-endian.md': big,
      'little-endian.md': Buffer.from(`\uFEFF${text}`, 'utf16le'),
      'no-mark.md': Buffer.from(text, 'utf16le'),
      'wide.md': Uint8Array.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
      'wider.md': Uint8Array.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]),
      'program.txt': Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1, 0, 0, 9]),
    })
    await symlink(join(folder, 'absent'), join(folder, 'link.md'))
    const { documents, unread } = await readAll(folder)
    const read = { title: 'Tide', text }
    expect(documents).toMatchObject([
      { docId: 'big-endian', ...read },
      { docId: 'little-endian', ...read },
    ])
    expect(unread).toEqual([
      { docId: 'no-mark', skipped: 'UTF-16 without a byte order mark', warning: expect.stringContaining('no-mark.md') },
      { docId: 'program.txt', skipped: 'binary', warning: expect.stringContaining('program.txt') },
      { docId: 'wide', skipped: 'UTF-32', warning: expect.stringContaining('wide.md is UTF-32') },
      { docId: 'wider', skipped: 'UTF-32', warning: expect.stringContaining('wider.md is UTF-32') },
    ])
  })

  it.each([
    ['yaml', '---\ntitle: Set up\ntags: [a, b]\nweight: 3\n---\nText.\n', { tags: ['a', 'b'], weight: 3 }],
    ['toml', '+++\ntitle = "Set up"\n[menu]\nmain = 1\n+++\nText.\n', { menu: { main: 1 } }],
  ])('keeps the fields of %s front matter and leaves it out of the text', async (_, text, frontMatter) => {
    const { documents } = await readAll(await lay({ 'x.md': text }))
    expect(documents).toMatchObject([{ title: 'Set up', text: 'Text.\n', frontMatter }])
  })

  it.each([
    ['prose between two rules', '---\nJust a sentence: or two.\n\nMore.\n---\nText.\n'],
    ['a rule at the start', '---\n\nText.\n'],
  ])('takes %s for text', async (_, text) => {
    const { documents } = await readAll(await lay({ 'x.md': text }))
    expect(documents[0]?.text).toBe(text)
    expect(documents[0]).not.toHaveProperty('warning')
  })

  it('warns of front matter that cannot be read, and bounds it', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => `b${i}: &b${i} [${`*${i ? `b${i - 1}` : 'a'},`.repeat(9)}]`).join('\n')}`
    const folder = await lay({
      'bad.md': '---\ntitle: "open\n---\n# Heading\n',
      'bomb.md': `---\n${bomb}\n---\ntext\n`,
      'large.md': `---\ntitle: L\nlist: ${'x'.repeat(10_000)}\n---\ntext\n`,
    })
    const { documents } = await readAll(folder)
    expect(documents[0]).toMatchObject({
      title: 'Heading',
      warning: expect.stringMatching(/bad\.md: the front matter cannot/),
    })
    expect(documents[1]).toMatchObject({ text: 'text\n', warning: expect.stringContaining('bomb.md') })
    expect(documents[2]).toMatchObject({
      ...{ title: 'L', text: 'text\n' },
      warning: expect.stringMatching(/large\.md: the front matter has more than 4000 characters of fields/),
    })
    expect(documents[2]).not.toHaveProperty('frontMatter')
  })

  it('takes no file with rows for the whole of its folder', async () => {
    const folder = await lay({
      'corpus.jsonl': '{"doc_id":"r","text":"A row."}\n',
      'handbook.md': 'The night watch.',
      'corpus/a.md': 'The bell.',
    })
    const { documents, skipped } = await readAll(folder)
    expect(documents.map(({ docId }) => docId)).toEqual(['corpus/a', 'handbook'])
    expect(skipped).toEqual({ '.jsonl': 1 })
    const questions = await lay({ 'queries.jsonl': '{}', 'handbook.md': 'The night watch.' })
    expect((await readAll(questions)).documents.map(({ docId }) => docId)).toEqual(['handbook'])
  })

  it('reads the documents of a set and not its queries', async () => {
    const folder = await lay({ 'corpus/a.md': 'a', 'corpus/b/c.md': 'c', 'queries.jsonl': '{}', 'README.md': 'no' })
    expect((await readAll(folder)).documents.map(({ docId }) => docId)).toEqual(['a', 'b/c'])
    const rows = await lay({
      'corpus.jsonl': '{"doc_id":"r","text":"A row."}',
      'queries.jsonl': '{}',
      'README.md': 'no',
    })
    expect((await readAll(rows)).documents.map(({ docId }) => docId)).toEqual(['r'])
  })

  it('says which fields a row has that lacks one', async () => {
    const folder = await lay({ 'tickets.jsonl': '{"ticket_id":"T-1","doc_id":"a","answer":"Wait."}' })
    await expect(readAll(join(folder, 'tickets.jsonl'))).rejects.toThrow(
      /tickets\.jsonl:1: text: .*, the row has \["ticket_id","doc_id","answer"\]$/,
    )
  })

  it('reads the source code of a folder when it is asked for, as it stands', async () => {
    const python = '# Opens the gate.\r\n---\r\n@gate\r\ndef open(): pass\r\n'
    const folder = await lay({
      'a.md': 'text',
      'gate/open.py': python,
      'Main.JAVA': 'class Main {}',
      'bundle.min.js': `x=${'1,'.repeat(3_000)}0`,
      'data.json': '{}',
      'node_modules/m/x.js': 'no',
    })
    expect((await readAll(folder)).documents.map(({ docId }) => docId)).toEqual(['a'])
    const { documents, unread, skipped } = await readAll(folder, { code: true })
    expect(skipped).toEqual({ '.json': 1, node_modules: 1 })
    expect(documents.map(({ docId, title }) => [docId, title])).toEqual([
      ['Main.JAVA', 'Main.JAVA'],
      ['a', 'a'],
      ['gate/open.py', 'open.py'],
    ])
    expect(documents[2]).toMatchObject({ text: python.replaceAll('\r', ''), isPlain: true })
    expect(unread).toEqual([
      { docId: 'bundle.min.js', skipped: 'generated code', warning: expect.stringContaining('bundle.min.js') },
    ])
    // A file that is named is read in the same way.
    const [file] = (await readAll(join(folder, 'gate/open.py'))).documents
    expect(file).toMatchObject({ docId: 'open.py', text: python.replaceAll('\r', '') })
  })

  it('cuts source code by its kind, although its lines do not look like code', async () => {
    const table = (at: number) =>
      `/*\n * The ropes of ship ${at}.\n */\nCREATE VIEW rope_${at} AS\n  SELECT name FROM rope\n  WHERE ship = ${at};\n`
    const text = Array.from({ length: 20 }, (_, at) => table(at)).join('\n')
    const { documents } = await readAll(await lay({ 'a.md': 'x', 'ropes.sql': text }), { code: true })
    const chunks = chunkMarkdown(documents[1] as SourceDocument, { targetTokens: 60, count: own => own.length / 4 })
    expect(chunks.length).toBeGreaterThan(5)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^\/\*\n \* The ropes[\s\S]*;$/)
  })

  it('reads settings as they stand when they are named, and not below a folder', async () => {
    const text = '---\n# The port of the ferry\nports:\n  # Two ropes\n  - north\n---\nport: south\n'
    const folder = await lay({
      'ferry.yaml': text,
      'ferry.conf': '# Ropes\n#ropes=2\n',
      'a.md': 'x',
      'b.ini.sample': '# Ropes\n',
    })
    expect(await readAll(folder, { code: true })).toMatchObject({ total: 1, skipped: { '.yaml': 1, '.conf': 1 } })
    const { documents } = await readAll(join(folder, 'ferry.yaml'))
    expect(documents).toMatchObject([{ title: 'ferry.yaml', text, isPlain: true }])
    expect(documents[0]?.warning).toBeUndefined()
    expect((await readAll(join(folder, 'b.ini.sample'))).documents).toMatchObject([{ isCode: true }])
    await writeFile(join(folder, '.env'), '# Ropes\nROPES=2\n')
    const [hidden] = (await readAll(join(folder, '.env'))).documents
    expect(hidden).toMatchObject({ title: '.env', isCode: true })
    expect(hidden?.warning).toBeUndefined()
    await writeFile(join(folder, 'ropes.json'), JSON.stringify(Array(2_000).fill('rope')))
    expect((await readAll(join(folder, 'ropes.json'))).documents).toMatchObject([{ title: 'ropes.json' }])
    const [conf] = (await readAll(join(folder, 'ferry.conf'))).documents
    const chunks = chunkMarkdown(conf as SourceDocument, { targetTokens: 60, count: own => own.length / 4 })
    expect(chunks).toMatchObject([{ sectionPath: '', text: '# Ropes\n#ropes=2' }])
  })

  it('puts code blocks of AsciiDoc in a .txt file in fences', async () => {
    const folder = await lay({ 'gates.txt': 'Gates\n=====\n\n----\nopen()\nwait()\n----\n' })
    const { documents } = await readAll(folder)
    expect(documents).toMatchObject([{ title: 'Gates', text: 'Gates\n=====\n\n```\nopen()\nwait()\n```\n' }])
  })

  it('says how source code is read', async () => {
    const folder = await lay({ 'a.ts': 'let a = 1', 'b.odp': 'x' })
    await expect(openDocuments(folder)).rejects.toThrow(/\); source code is read with --code$/)
    await expect(openDocuments(await lay({ 'b.odp': 'x' }), { code: true })).rejects.toThrow(/no .* source code below/)
  })

  it('says that there is nothing to read', async () => {
    const folder = await lay({ 'a.odp': 'x' })
    await expect(openDocuments(folder)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(folder),
    })
    await expect(openDocuments(join(folder, 'absent'))).rejects.toMatchObject({ code: 'bad_request' })
    const rows = await lay({ 'corpus.jsonl': '{"doc_id":"r","text":"A row."}' })
    await expect(openDocuments(rows)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/skipped: 1 \.jsonl\); rows are read when the path is that of the \.jsonl file$/),
    })
  })
})

describe('openDocuments, JSON lines', () => {
  it('reads golden and BEIR rows', async () => {
    const rows = [
      '{"doc_id":"a/1","title":"A","text":"one\\ntwo"}',
      '',
      '{"_id":"b","title":"B","text":"three","metadata":{}}\r',
      '{"_id":"c","text":""}',
    ]
    const folder = await lay({ 'corpus.jsonl': rows.join('\n'), 'notes.md': 'no' })
    const expected = [
      { docId: 'a/1', title: 'A', text: 'one\ntwo' },
      { docId: 'b', title: 'B', text: 'three' },
      { docId: 'c', title: '', text: '' },
    ]
    expect(await readAll(join(folder, 'corpus.jsonl'))).toMatchObject({ total: 4, documents: expected })
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
    const failure = await readAll(join(folder, 'corpus.jsonl')).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'bad_request', message: expect.stringMatching(fault) })
    expect(String(failure)).toContain('corpus.jsonl:3:')
  })

  it('warns of broken bytes in a row, naming its line', async () => {
    const row = Buffer.concat([Buffer.from('{"doc_id":"x","text":"a'), Buffer.from([0xff]), Buffer.from('"}\n')])
    const folder = await lay({ 'corpus.jsonl': row })
    expect((await readAll(join(folder, 'corpus.jsonl'))).documents).toMatchObject([
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
