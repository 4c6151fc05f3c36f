import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addIngestCommand, type IngestEnvironment } from '../../src/commands/ingest.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import type { Project } from '../../src/projects/project.ts'
import { allPoints, createFakeEmbedder, dependencies } from '../support/ingest-world.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let engine: EmbeddedServer
let folder: string
beforeAll(async () => {
  engine = await startEmbeddedServer()
  folder = temporaryFolder('stowage-ingest')
  await writeFile(join(folder, 'bells.md'), '# Bells\n\nThe bell is rung at seven. It is rung again at nine.\n')
  await writeFile(join(folder, 'tides.md'), `# Tides\n\n${'The tide gauge is read every hour. '.repeat(60)}\n`)
})
afterAll(async () => {
  await engine.close()
})

interface Opened {
  where: object[]
  projects: (Project | null)[]
  closed: number
}

const PROJECT: Project = {
  ...{ version: 1, name: 'handbook', created_at: '2026-11-23T00:00:00.000Z', collection: 'from-project' },
  chunking: { tokens: 16, overlap: 0 },
  encoder: { kind: 'voyage', model: 'voyage-4' },
}

const WITH_PARENTS: Project = { ...PROJECT, name: 'parents', chunking: { strategy: 'parent-child' } }

async function run(world: Partial<IngestEnvironment>, ...line: string[]) {
  const opened: Opened = { where: [], projects: [], closed: 0 }
  const result = await runCommand(
    (program, { out, progress }) =>
      addIngestCommand(program, {
        out,
        progress,
        findProject: async name => [PROJECT, WITH_PARENTS].find(project => project.name === name) ?? null,
        open: async (where, project) => {
          opened.where.push(where)
          opened.projects.push(project)
          return {
            ...dependencies(engine.url, createFakeEmbedder()),
            place: engine.url,
            unavailable: null,
            isEmbedderSet: false,
            durable: true,
            close: async () => {
              opened.closed += 1
            },
            ...world,
          }
        },
      }),
    'ingest',
    ...line,
  )
  return { ...result, opened }
}

describe('stowage ingest --project', () => {
  const json = ({ out }: { out: string }) => JSON.parse(out)

  it('takes collection, chunk size and encoder from the project', async () => {
    const { out, error, opened } = await run({}, folder, '--project', 'handbook', '--dry-run', '--json')
    expect(error).toBeNull()
    expect(json({ out })).toMatchObject({ collection: 'from-project' })
    expect(opened.projects).toEqual([PROJECT])
    const plain = await run({}, folder, '--collection', 'plain', '--dry-run', '--json')
    expect(json({ out }).chunks).toBeGreaterThan(json(plain).chunks)
    expect(plain.opened.projects).toEqual([null])
  })

  it('cuts as the project says', async () => {
    const { out } = await run({}, folder, '--project', 'parents', '--dry-run', '--json')
    const direct = await run({}, folder, '--collection', 'a', '--chunking', 'parent-child', '--dry-run', '--json')
    const sections = await run({}, folder, '--collection', 'a', '--dry-run', '--json')
    expect(json({ out }).chunks).toBe(json(direct).chunks)
    expect(json({ out }).chunks).not.toBe(json(sections).chunks)
  })

  it('lets options of the command line win, also those with a default', async () => {
    const line = ['--project', 'handbook', '--collection', 'mine', '--chunk-tokens', '200', '--overlap', '0.12']
    const ours = await run({}, folder, ...line, '--dry-run', '--json')
    const plain = await run({}, folder, '--collection', 'mine', '--dry-run', '--json')
    expect(json(ours)).toMatchObject({ collection: 'mine', chunks: json(plain).chunks })
  })

  it('names the fields of the project in what it says of its encoder, and the variables of all else', async () => {
    const unavailable =
      'EMBEDDING_MODEL: The endpoint for voyage-4 cannot be reached. Check EMBEDDING_BASE_URL and EMBEDDING_API_KEY.'
    const named =
      'handbook.encoder.model: The endpoint for voyage-4 cannot be reached. Check handbook.encoder.base_url and EMBEDDING_API_KEY.'
    const world = { ...dependencies(engine.url, null), unavailable }
    const line = [folder, '--project', 'handbook', '--collection', 'named-fields']
    const { error } = await run({ ...world, isEmbedderSet: true }, ...line)
    expect(error).toMatchObject({ code: 'unprocessable', message: expect.stringContaining(named) })
    expect(error).toMatchObject({ message: expect.stringContaining('set handbook.encoder.kind=none.') })
    const { out, shown } = await run(world, ...line)
    for (const text of [out, shown]) expect(text).toContain(`NO EMBEDDER (${named})`)
  })

  it('names an unknown project, and wants a collection or a project', async () => {
    expect((await run({}, folder, '--project', 'nobody')).error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('nobody'),
    })
    expect((await run({}, folder)).error).toMatchObject({ name: 'CommanderError' })
  })
})

describe('stowage ingest', () => {
  it('estimates the time left by the sizes of the documents, and tells their number', async () => {
    const sizes = temporaryFolder('stowage-ingest-sizes')
    for (let i = 10; i < 40; i += 1) await writeFile(join(sizes, `${i}.md`), `# Bell ${i}\n\nIt is rung at ${i}.\n`)
    await writeFile(join(sizes, 'tides.md'), `# Tides\n\n${'The tide gauge is read every hour. '.repeat(2_000)}\n`)
    // A clock that only embedding moves, so that no machine is too slow: a tenth of a second per character.
    let clock = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock)
    const embedder = createFakeEmbedder()
    const slow = {
      ...embedder,
      embedPassages(texts: string[]) {
        clock += texts.join('').length * 100
        return embedder.embedPassages(texts)
      },
    }
    const line = [sizes, '--collection', 'sizes', '--batch-size', '4']
    const { shown, error } = await run(dependencies(engine.url, slow), ...line).finally(() => now.mockRestore())
    expect(error).toBeNull()
    const lines = [...shown.matchAll(/^documents (\d+)\/31, .* ETA (?:(\d+) min )?(\d+) s$/gm)]
    const small = lines.find(([, documents]) => documents === '28')
    const left = Number(small?.[2] ?? 0) * 60 + Number(small?.[3])
    const truth = (70_000 * 100) / 1_000
    expect(left).toBeGreaterThan(truth / 2)
    expect(left).toBeLessThan(truth * 2)
  })

  it('says which URL does not answer', async () => {
    const gone = await startEmbeddedServer()
    await gone.close()
    const world = { ...dependencies(gone.url, createFakeEmbedder()), place: gone.url }
    const { error, opened } = await run(world, folder, '--collection', 'a')
    expect(error).toMatchObject({ code: 'upstream_unavailable', message: expect.stringContaining(gone.url) })
    expect(opened.closed).toBe(1)
  })

  it('cuts into children with parents, at the size of that way of cutting, and refuses a way that it does not know', async () => {
    const way = ['--chunking', 'parent-child', '--json']
    await run({}, folder, '--collection', 'family', ...way, '--chunk-tokens', '100')
    const stored = await allPoints(engine.url, 'family')
    expect(stored.filter(({ payload }) => payload.is_parent === true)).toHaveLength(1)
    await run({}, folder, '--collection', 'usual', ...way)
    const again = await run({}, folder, '--collection', 'usual', ...way, '--chunk-tokens', '384')
    expect(JSON.parse(again.out)).toMatchObject({ unchanged: 2, written: 0 })
    expect((await run({}, folder, '--collection', 'family', '--chunking', 'other')).error).not.toBeNull()
  })

  it('ingests a folder, then finds nothing to do', async () => {
    const line = [folder, '--collection', 'a', '--chunk-tokens', '60', '--tenant', 'acme', '--acl', 'x, y', '--json']
    const first = await run({}, ...line, '--url', 'http://q', '--api-key', 'k')
    expect(first.error).toBeNull()
    expect(first.opened).toMatchObject({ where: [{ url: 'http://q', apiKey: 'k' }], closed: 1 })
    const summary = JSON.parse(first.out)
    expect(summary).toMatchObject({
      collection: 'a',
      created: true,
      documents: 2,
      unchanged: 0,
      deleted: 0,
      warnings: [],
    })
    const points = await allPoints(engine.url, 'a')
    expect(points).toHaveLength(summary.written)
    for (const { payload } of points) expect(payload).toMatchObject({ tenant: 'acme', acl: ['x', 'y'] })
    const second = await run({}, ...line)
    expect(JSON.parse(second.out)).toMatchObject({ created: false, unchanged: 2, written: 0 })
    expect(second.opened.where).toEqual([{}])
  })

  it('says in words what it did, and what it would do', async () => {
    const dry = await run({ durable: false }, folder, '--collection', 'b', '--dry-run')
    expect(dry.out).toMatch(/^Dry run: nothing was written\. b in .*\n {2}2 documents, 0 of them unchanged\n/)
    expect(dry.out).toMatch(/chunks to write, 0 to delete/)
    const wet = await run({}, join(folder, 'bells.md'), '--collection', 'b')
    expect(wet.out).toMatch(
      /\(created\)\n {2}1 document,.*\n {2}1 chunk, \d+ tokens\n {2}1 chunk written, 0 deleted\n {2}in [\d.]+ s\n$/,
    )
  })

  it('says how skipped files can be read, and that a named file is read as Markdown when its format is unknown', async () => {
    const docs = temporaryFolder('stowage-formats')
    const lay = (name: string, content: string) => writeFile(join(docs, name), content)
    await lay('one.md', '# One\n\nThe first text.\n')
    await lay('rows.jsonl', '{}')
    await lay('tool.py', 'print(1)')
    await lay('notes.odt', 'The bell is new.')
    await lay('README', 'The bell is old.')
    const all = await run({}, docs, '--collection', 'f')
    expect(all.out).toMatch(
      / {2}skipped: [^;]*1 \.jsonl[^;]*; rows are read when the path is that of the \.jsonl file; source code is read with --code\n/,
    )
    const named = await run({}, join(docs, 'notes.odt'), '--collection', 'f')
    expect(named.out).toMatch(/warning: .*notes\.odt is read as Markdown: stowage reads \.md, .* or \.asciidoc\n/)
    expect((await run({}, join(docs, 'README'), '--collection', 'f')).out).not.toContain('warning')
  })

  it('names the place, what it skipped and the source; prunes only what left this source', async () => {
    const docs = temporaryFolder('stowage-prune')
    const lay = (name: string, content: string | Uint8Array) => writeFile(join(docs, name), content)
    await lay('one.md', '# One\n\nThe first text.\n')
    await lay('two.md', '# Two\n\nThe second text.\n')
    await lay('picture.png', 'no')
    await lay('other.png', 'no')
    await lay('data.md', Uint8Array.from([1, 0, 0, 2, 0, 0, 0, 3]))
    const world = { place: 'the folder data' }
    const line = [docs, '--collection', 'p', '--source', 'handbook']
    const first = await run(world, ...line)
    expect(first.out).toMatch(/^p in the folder data.*\n {2}source handbook\n {2}2 documents/)
    expect(first.out).toContain('  skipped: 2 .png, 1 binary\n')
    expect(first.out).toMatch(/warning: .*data\.md is binary/)
    await run(world, folder, '--collection', 'p', '--source', 'harbour')
    await run(world, folder, '--collection', 'p')

    await rm(join(docs, 'two.md'))
    const kept = await run(world, ...line)
    expect(kept.out).not.toContain('documents pruned')
    const dry = await run(world, ...line, '--prune', '--dry-run')
    expect(dry.out).toContain('  1 document to prune:\n    handbook/two\n')
    const before = await allPoints(engine.url, 'p')
    const pruned = await run(world, ...line, '--prune', '--json')
    expect(JSON.parse(pruned.out)).toMatchObject({ pruned: ['handbook/two'], deleted: 1, written: 0, unchanged: 1 })
    const after = await allPoints(engine.url, 'p')
    expect(
      before.filter(({ id }) => !after.some(point => point.id === id)).map(({ payload }) => payload.doc_id),
    ).toEqual(['handbook/two'])

    // A folder that cannot be read any more is no reason to delete.
    await rm(join(docs, 'one.md'))
    expect((await run(world, ...line, '--prune')).error).toMatchObject({ code: 'unprocessable' })
    await rm(join(docs, 'data.md'))
    expect((await run(world, ...line, '--prune')).error).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('2 .png'),
    })
    const emptied = await run(world, ...line, '--prune', '--allow-empty', '--json')
    expect(JSON.parse(emptied.out)).toMatchObject({ pruned: ['handbook/one'], documents: 0 })
  })

  it('reads source code with --code', async () => {
    const sources = await mkdtemp(join(folder, 'code-'))
    const python =
      'class Gate:\n    def open(self, bells):\n        self.bells = bells\n        return self.lamp(bells)\n'
    await writeFile(join(sources, 'gate.py'), python)
    const refused = await run({}, sources, '--collection', 'code')
    expect(refused.error).toMatchObject({ message: expect.stringContaining('source code is read with --code') })
    const { out, error } = await run({}, sources, '--collection', 'code', '--code', '--json')
    expect([error, JSON.parse(out).documents]).toEqual([null, 1])
    const [point] = await allPoints(engine.url, 'code')
    expect(point?.payload).toMatchObject({ doc_id: 'gate.py', text: expect.stringContaining('def open') })
  })

  it('names the first documents without text', async () => {
    const docs = temporaryFolder('stowage-stubs')
    await writeFile(join(docs, 'duty.md'), '# Duty\n\nThe keeper signs the book at noon.\n\n## Later\n')
    for (let at = 1; at <= 7; at++) await writeFile(join(docs, `stub-${at}.md`), '# To be written\n')
    const { out } = await run({}, docs, '--collection', 'stubs')
    expect(out).toContain(
      '  8 documents, 0 of them unchanged, 7 without text: stub-1, stub-2, stub-3, stub-4, stub-5 and 2 more\n',
    )
  })

  it('does not prune without the name of the source', async () => {
    const { error, opened } = await run({}, folder, '--collection', 'c', '--prune')
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('--source') })
    expect(opened.where).toEqual([])
  })

  it('says loudly that there is no model', async () => {
    const world = { ...dependencies(engine.url, null), unavailable: 'EMBEDDING_MODEL: there is no folder m' }
    const { out, shown } = await run(world, folder, '--collection', 'keywords')
    for (const text of [out, shown]) expect(text).toMatch(/NO EMBEDDER \(EMBEDDING_MODEL: there is no folder m\)/)
  })

  it('creates no collection without vectors when an embedder was asked for, and leaves one with vectors as it is', async () => {
    const away = { ...dependencies(engine.url, null), unavailable: 'cannot be reached', isEmbedderSet: true }
    const line = [folder, '--collection', 'awaited']
    for (const dryRun of [[], ['--dry-run']])
      expect((await run(away, ...line, ...dryRun)).error).toMatchObject({
        code: 'unprocessable',
        message: expect.stringMatching(/cannot be reached.*Nothing was written.*EMBEDDER=none/),
      })
    expect((await fetch(`${engine.url}/collections/awaited`)).status).toBe(404)

    expect((await run({}, ...line)).error).toBeNull()
    const before = await allPoints(engine.url, 'awaited')
    await writeFile(join(folder, 'locks.md'), '# Locks\n\nThe lock is closed at ten.\n')
    const refused = await run(away, ...line)
    await rm(join(folder, 'locks.md'))
    expect(refused.error).toMatchObject({ message: expect.stringContaining('the embedder of this run is none') })
    expect(await allPoints(engine.url, 'awaited')).toEqual(before)
  })

  it('says what to do about a collection that was created without an embedder', async () => {
    const line = [folder, '--collection', 'words']
    expect((await run(dependencies(engine.url, null), ...line)).error).toBeNull()
    expect((await run({}, ...line)).error).toMatchObject({
      message: expect.stringContaining('(it has: none). Ingest into a new collection with an embedder.'),
    })
  })

  it.each([
    [['ingest-no-path-given']],
    [['.', '--collection', 'c', '--source', '/']],
    [['.', '--collection', 'c', '--source', 'a/../b']],
    [['--collection', 'c']],
    [['.', '--collection', '']],
    [['.', '--collection', 'c', '--chunk-tokens', '1.5']],
    [['.', '--collection', 'c', '--chunk-tokens', '1e9']],
    [['.', '--collection', 'c', '--overlap', '0.6']],
    [['.', '--collection', 'c', '--overlap', '']],
    [['.', '--collection', 'c', '--acl', 'a,,b']],
    [['.', '--collection', 'c', '--batch-size', 'NaN']],
    [['.', '--collection', 'c', '--no-such-option']],
  ])('refuses the command line %j before it opens anything', async line => {
    const { error, opened } = await run({}, ...line)
    expect(error).toMatchObject({ name: 'CommanderError' })
    expect(opened.where).toEqual([])
  })

  it('refuses a source that is not there before it opens anything', async () => {
    const { error, opened } = await run({}, join(folder, 'absent'), '--collection', 'c')
    expect(error).toMatchObject({ code: 'bad_request' })
    expect(opened.where).toEqual([])
  })

  it('refuses to fill an engine that forgets', async () => {
    const { error, opened } = await run({ durable: false }, folder, '--collection', 'c')
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('EMBEDDED_PATH') })
    expect(opened.closed).toBe(1)
  })

  it('closes what it opened when the ingest fails', async () => {
    const embedder = createFakeEmbedder()
    embedder.failAt = 1
    const { error, opened, out } = await run({ embedder }, folder, '--collection', 'd')
    expect(error).toMatchObject({ message: 'the embedder broke' })
    expect(opened.closed).toBe(1)
    expect(out).toBe('')
  })

  it('says what stays when it fails after it has written', async () => {
    const line = [folder, '--collection', 'half', '--chunk-tokens', '60', '--batch-size', '2']
    const embedder = createFakeEmbedder()
    embedder.failAt = 1
    expect((await run({ embedder }, ...line)).shown).toBe('')
    embedder.failAt = 3
    const half = await run({ embedder }, ...line)
    expect(half.shown).toMatch(
      /documents 1\/2, 2 chunks written\nstopped; the 2 chunks that are written stay, and the next run goes on from there\n$/,
    )
    const rest = JSON.parse((await run({}, ...line, '--json')).out)
    expect(rest.written).toBe(rest.chunks - 2)
  })

  it('counts one chunk as one, and says why a file is damaged in one sentence', async () => {
    const one = temporaryFolder('stowage-ingest-one')
    await writeFile(join(one, 'bell.md'), 'The bell is rung at seven.\n')
    await writeFile(join(one, 'torn.pdf'), '%PDF-1.7 torn')
    const { shown, out } = await run({}, one, '--collection', 'one')
    expect(shown).toContain(', 1 chunk written\n')
    expect(out).toMatch(/torn\.pdf is damaged: [^.]+[^.]; it is not ingested\n/u)
  })

  it.skipIf(process.platform === 'win32')('shows control characters in names of files escaped', async () => {
    const own = temporaryFolder('stowage-names')
    await writeFile(join(own, 'a\u001b[31m\n  warning: forged.md'), Buffer.from([0, 1, 2]))
    const { out } = await run({}, own, '--collection', 'names')
    expect(out).toContain('a\\u001b[31m\\u000a  warning: forged.md is ')
    expect(out).not.toContain('\u001b')
  })
})
