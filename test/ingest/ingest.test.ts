import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { type IngestOptions, type IngestProgress, ingest } from '../../src/ingest/ingest.ts'
import { encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { allPoints, countTokens, createFakeEmbedder, dependencies } from '../support/ingest-world.ts'

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

let made = 0
const fresh = (): IngestOptions => {
  made += 1
  return { collection: `c${made}`, chunkTokens: 30, batchSize: 4 }
}

const prose = (tag: string, sentences: number): string =>
  Array.from({ length: sentences }, (_, i) => `The ${tag} number ${i} is set to ${i * 7} here.`).join(' ')

const guide = {
  docId: 'guide',
  title: 'Guide',
  text: `# Guide\n\n${prose('valve', 9)}\n\n## Tides\n\n${prose('gauge', 12)}`,
}
const notes = { docId: 'notes', title: 'Notes', text: prose('lamp', 20) }
const sheet = { docId: 'sheet', title: 'Sheet', text: `## Bells\n\n${prose('bell', 6)}` }

async function run(documents: Parameters<typeof ingest>[0], options: IngestOptions, embedder = createFakeEmbedder()) {
  const summary = await ingest(documents, dependencies(engine.url, embedder), options)
  return { summary, embedder, points: await allPoints(engine.url, options.collection) }
}

describe('ingest', () => {
  it('makes the collection, its vectors and its indexes', async () => {
    const options = fresh()
    const { summary } = await run([guide], options)
    expect(summary).toMatchObject({
      collection: options.collection,
      created: true,
      documents: 1,
      unchanged: 0,
      deleted: 0,
    })
    expect(await createQdrantAdmin({ url: engine.url, apiKey: null }).layout(options.collection)).toEqual({
      points: summary.written,
      dense: [{ name: 'dense', size: 4, distance: 'Cosine' }],
      sparse: [{ name: 'sparse', idf: true }],
      indexes: {
        ...{ tenant: 'keyword', space_id: 'keyword', acl: 'keyword', lang: 'keyword', doc_id: 'keyword' },
        ...{ source: 'keyword', section_path: 'keyword', embedder_version: 'keyword', order_index: 'integer' },
      },
    })
  })

  it('encodes what the path of a document says beside its title', async () => {
    const embedder = createFakeEmbedder()
    const versions = ['v1', 'v2'].map(folder => ({ ...guide, docId: `${folder}/guide.md` }))
    const { points } = await run([...versions, guide], fresh(), embedder)
    const tides = embedder.asked.filter(text => text.includes('Tides') && text.includes('gauge number 0'))
    expect(tides.map(text => text.split('\n')[0]).sort()).toEqual([
      'Guide (version 1, v1) > Tides',
      'Guide (version 2, v2) > Tides',
      'Guide > Tides',
    ])
    expect(points.every(({ payload }) => payload.doc_title === 'Guide')).toBe(true)
  })

  it('names documents without text, and does not call them unchanged', async () => {
    const documents = ['', '# Heading alone', '\n\n'].map((text, at) => ({ ...guide, docId: `empty/${at}`, text }))
    const ids = documents.map(({ docId }) => docId)
    const options = fresh()
    const first = await run([guide, ...documents], options)
    expect(first.summary).toMatchObject({ documents: 4, unchanged: 0, empty: ids })
    const again = await run([guide, ...documents], options)
    expect(again.summary).toMatchObject({ documents: 4, unchanged: 1, empty: ids, written: 0, deleted: 0 })
    const emptied = await run([{ ...guide, text: '' }], options)
    expect(emptied.summary).toMatchObject({ empty: ['guide'], deleted: first.summary.written })
  })

  it('writes the pages of each chunk, and says when headings are unknown', async () => {
    const text = `# Guide\n\n${prose('valve', 6)}\n\n## Tides\n\n${prose('gauge', 6)}`
    const pages = [0, text.indexOf('## Tides')]
    const paged = { docId: 'g.pdf', title: 'Guide', text, pages, headings: 'marked' as const }
    const plain = { docId: 'p.pdf', title: 'Plain', text: prose('lamp', 3), pages: [0], headings: 'unknown' as const }
    const { points } = await run([paged, plain], fresh())
    const range = (path: string) =>
      points
        .filter(({ payload }) => payload.doc_id === 'g.pdf' && String(payload.section_path) === path)
        .map(({ payload }) => [payload.page_start, payload.page_end, payload.headings])
    expect(new Set(range('Guide').map(String))).toEqual(new Set(['1,1,']))
    expect(new Set(range('Guide > Tides').map(String))).toEqual(new Set(['2,2,']))
    const unknown = points.filter(({ payload }) => payload.doc_id === 'p.pdf').map(({ payload }) => payload)
    expect(unknown.length).toBeGreaterThan(0)
    for (const payload of unknown) expect(payload).toMatchObject({ page_start: 1, page_end: 1, headings: 'unknown' })
  })

  it('keeps with --prune what an earlier run stored of a file that is now skipped', async () => {
    const options = { ...fresh(), source: 'shelf', prune: true }
    const before = await run([{ ...guide, docId: 'shelf/a.pdf' }, { ...notes, docId: 'shelf/b.pdf' }, sheet], options)
    const skipped = { docId: 'shelf/a.pdf', skipped: 'damaged', warning: 'a.pdf is damaged' }
    const { summary, points } = await run([skipped, sheet], options)
    expect(summary).toMatchObject({ pruned: ['shelf/b.pdf'], skipped: { damaged: 1 }, warnings: ['a.pdf is damaged'] })
    const chunksOf = (of: typeof points) => of.filter(({ payload }) => payload.doc_id === 'shelf/a.pdf').length
    expect(chunksOf(points)).toBe(chunksOf(before.points))
    expect(chunksOf(points)).toBeGreaterThan(0)
  })

  it('keeps with --prune what an earlier run stored of a folder that cannot be read now', async () => {
    const options = { ...fresh(), source: 'shelf', prune: true }
    const [kept, gone] = [
      { ...guide, docId: 'shelf/rota/guide' },
      { ...notes, docId: 'shelf/rotas' },
    ]
    await run([kept, gone, sheet], options)
    const folder = { idsBegin: 'shelf/rota/', skipped: 'unreadable folder', warning: 'rota cannot be read' } as const
    const { summary, points } = await run([folder, sheet], options)
    expect(summary).toMatchObject({
      ...{ pruned: ['shelf/rotas'], skipped: { 'unreadable folder': 1 }, warnings: ['rota cannot be read'] },
    })
    expect(points.some(({ payload }) => payload.doc_id === kept.docId)).toBe(true)
  })

  it('writes every chunk with its whole payload, and encodes its path with it', async () => {
    const options = { ...fresh(), tenant: 'acme', space: 's1', acl: ['a', 'b'], lang: 'en', source: 'handbook' }
    const { summary, points, embedder } = await run([{ ...guide, frontMatter: { tags: ['a'] } }], options)
    expect(points).toHaveLength(summary.chunks)
    expect(summary.written).toBe(summary.chunks)
    const orders = points.map(({ payload }) => payload.order_index as number).sort((a, b) => a - b)
    expect(orders).toEqual(Array.from({ length: summary.chunks }, (_, i) => i))
    for (const { id, payload } of points) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(payload).toEqual({
        ...{ doc_id: 'guide', doc_title: 'Guide', tenant: 'acme', space_id: 's1', acl: ['a', 'b'], lang: 'en' },
        section_path: expect.stringMatching(/^Guide( > Tides)?$/),
        header: expect.stringMatching(/^# Guide$|^## Tides$/),
        order_index: expect.any(Number),
        char_start: expect.any(Number),
        char_end: expect.any(Number),
        text: guide.text.slice(payload.char_start as number, payload.char_end as number),
        embedder_version: embedder.version,
        content_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
        source: 'handbook',
        front_matter: { tags: ['a'] },
        ...(payload.order_index === 0 && {
          document_mark: {
            hash: expect.stringMatching(/^[0-9a-f]{32}$/),
            chunks: summary.chunks,
            tokens: summary.tokens,
          },
        }),
      })
    }
    const later = points.find(
      ({ payload }) => payload.section_path === 'Guide > Tides' && !String(payload.text).includes('Tides'),
    )
    const [tide] = encodeBm25Query('tides').indices
    expect(later?.vector.sparse).toMatchObject({ indices: expect.arrayContaining([tide]) })
    for (const text of embedder.asked) expect(text).toMatch(/^Guide( > Tides)?\n/)
  })

  it('does nothing the second time', async () => {
    const options = fresh()
    const first = await run([guide, notes, sheet], options)
    expect(first.summary.written).toBeGreaterThan(8)
    const second = await run([guide, notes, sheet], options)
    expect(second.summary).toMatchObject({ created: false, documents: 3, unchanged: 3, written: 0, deleted: 0 })
    expect(second.summary.chunks).toBe(first.summary.chunks)
    expect(second.embedder.asked).toEqual([])
    expect(second.points).toEqual(first.points)
  })

  it('does not even cut a document that has not changed, and cuts it again when the options have', async () => {
    const options = fresh()
    const embedder = createFakeEmbedder()
    let counted = 0
    const world = {
      ...dependencies(engine.url, embedder),
      countTokens: (text: string) => {
        counted += 1
        return countTokens(text)
      },
    }
    const first = await ingest([guide, notes, sheet], world, options)
    expect(counted).toBeGreaterThan(20)
    counted = 0
    const second = await ingest([guide, notes, sheet], world, options)
    expect(counted).toBe(0)
    expect(second).toMatchObject({ unchanged: 3, chunks: first.chunks, tokens: first.tokens, written: 0 })
    await ingest([guide, notes, sheet], world, { ...options, chunkTokens: 60 })
    expect(counted).toBeGreaterThan(10)
    await ingest([guide], { ...world, tokenizer: 'another' }, { ...options, chunkTokens: 60 })
    expect(embedder.asked.length).toBeGreaterThan(first.chunks)
  })

  it.each([1, 2, 3])('does not take a document for complete when writing was cut short at batch %s', async failAt => {
    const options = { ...fresh(), batchSize: 2 }
    await run([guide, notes], options)
    const changed = [guide, notes].map(document => ({
      ...document,
      text: document.text.replaceAll('is set', 'was set'),
    }))
    const embedder = createFakeEmbedder()
    embedder.failAt = failAt
    await expect(ingest(changed, dependencies(engine.url, embedder), options)).rejects.toThrow('broke')
    const finished = await run(changed, options)
    expect(finished.points.map(({ payload }) => payload.text).join()).not.toContain('is set')
    expect((await run(changed, options)).summary).toMatchObject({ written: 0, unchanged: 2 })
  })

  it('names both documents when another folder or source brings the same id', async () => {
    const options = fresh()
    const here = { ...sheet, place: 'here/sheet.md' }
    const there = { ...sheet, text: notes.text, place: 'there/sheet.md' }
    const warnings = async (document: typeof here, from: Partial<IngestOptions>) =>
      (await run([document], { ...options, ...from })).summary.warnings
    expect(await warnings(here, { folder: '/a/here' })).toEqual([])
    expect(await warnings(here, { folder: '/b/there' })).toEqual([])
    expect(await warnings(there, { folder: '/b/there' })).toEqual([
      expect.stringMatching(/sheet of another folder \("Sheet"\) was replaced by there\/sheet\.md.*--source/),
    ])
    expect(await warnings(here, { source: 'x' })).toHaveLength(1)
    expect(await warnings(there, { source: 'x', folder: '/c' })).toEqual([])
    expect(await warnings(here, { source: 'y' })).toEqual([expect.stringContaining('of the source x')])
    const points = await allPoints(engine.url, options.collection)
    expect(JSON.stringify(points)).not.toContain('/b/there')
  })

  it.each([
    ['grew', { ...guide, text: `${guide.text}\n\n## More\n\n${prose('rope', 8)}` }],
    ['shrank', { ...guide, text: guide.text.slice(0, guide.text.indexOf('## Tides')) }],
    ['was changed at its end', { ...guide, text: guide.text.replace(/11 is set to 77/, '11 is set to 78') }],
    ['changed its title', { ...guide, title: 'Handbook' }],
    ['became empty', { ...guide, text: '' }],
  ])('leaves what a clean run leaves when a document %s', async (_, changed) => {
    const options = fresh()
    const first = await run([guide, notes], options)
    const second = await run([changed, notes], options)
    expect(second.summary).toMatchObject({ documents: 2, unchanged: 1 })
    expect(second.summary.written + second.summary.deleted).toBeGreaterThan(0)
    expect(second.summary.written).toBeLessThan(first.summary.chunks)
    expect(second.embedder.asked).toHaveLength(second.summary.written)

    await fetch(`${engine.url}/collections/${options.collection}`, { method: 'DELETE' })
    const clean = await run([changed, notes], options)
    expect(second.points).toEqual(clean.points)
  })

  it('finishes what was cut short', async () => {
    const options = fresh()
    const clean = await run([guide, notes, sheet], options)
    await fetch(`${engine.url}/collections/${options.collection}`, { method: 'DELETE' })
    const embedder = createFakeEmbedder()
    embedder.failAt = 3
    await expect(ingest([guide, notes, sheet], dependencies(engine.url, embedder), options)).rejects.toThrow('broke')
    const half = await allPoints(engine.url, options.collection)
    expect(half.length).toBeGreaterThan(0)
    expect(half.length).toBeLessThan(clean.points.length)
    const finished = await run([guide, notes, sheet], options)
    expect(finished.summary.written).toBe(clean.points.length - half.length)
    expect(finished.points).toEqual(clean.points)
  })

  it('keeps equal document ids of two tenants and spaces apart', async () => {
    const options = fresh()
    const acme = await run([sheet], { ...options, tenant: 'acme' })
    await run([sheet], { ...options, tenant: 'zeta' })
    await run([sheet], { ...options, tenant: 'acme', space: 's' })
    const all = await run([sheet], options)
    expect(all.points).toHaveLength(4 * acme.summary.chunks)
    const shrunk = await run([{ ...sheet, text: '' }], { ...options, tenant: 'zeta' })
    expect(shrunk.summary.deleted).toBe(acme.summary.chunks)
    expect(shrunk.points.filter(({ payload }) => payload.tenant === 'acme')).toHaveLength(2 * acme.summary.chunks)
  })

  it('refuses to mix embedders, unless told to', async () => {
    const options = fresh()
    await run([sheet], options)
    const other = createFakeEmbedder('other/4/mean')
    for (const embedder of [other, null]) {
      const refused = ingest([sheet], dependencies(engine.url, embedder), options)
      await expect(refused).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringContaining('fake/4/mean'),
      })
    }
    const allowed = await run([sheet], { ...options, allowMixedEmbedders: true }, other)
    expect(allowed.summary.written).toBe(allowed.summary.chunks)
    expect(new Set(allowed.points.map(({ payload }) => payload.embedder_version))).toEqual(new Set(['other/4/mean']))
  })

  it('writes sparse vectors alone without an embedder, and dense ones once there is one', async () => {
    const options = fresh()
    const summary = await ingest([sheet], dependencies(engine.url, null), options)
    const bare = await allPoints(engine.url, options.collection)
    expect(bare).toHaveLength(summary.chunks)
    for (const { vector, payload } of bare) {
      expect(Object.keys(vector)).toEqual(['sparse'])
      expect(payload).not.toHaveProperty('embedder_version')
    }
    await expect(run([sheet], options)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('4 dimensions'),
    })
  })

  it('writes into a foreign collection under its own names, and refuses another dimension', async () => {
    const options = fresh()
    const path = `${engine.url}/collections/${options.collection}`
    const put = (url: string, body: object) =>
      fetch(url, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    await put(path, { vectors: { size: 4, distance: 'Cosine' } })
    await put(`${path}/points?wait=true`, {
      points: [{ id: 7, vector: [1, 0, 0, 0], payload: { doc_id: 'sheet', text: 'theirs' } }],
    })
    const { summary, points } = await run([sheet], options)
    expect(summary.warnings).toEqual([expect.stringContaining('no sparse vector')])
    expect(points).toHaveLength(summary.chunks + 1)
    const emptied = await run([{ ...sheet, text: '' }], options)
    expect(emptied.points.map(({ id }) => id)).toEqual([7])
    const wide = ingest([sheet], dependencies(engine.url, createFakeEmbedder('wide', 8)), options)
    await expect(wide).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/8 dimensions.*4/),
    })
  })

  it('only counts in a dry run', async () => {
    const options = fresh()
    const embedder = createFakeEmbedder()
    const target = dependencies(engine.url, embedder)
    const planned = await ingest([guide, sheet], target, { ...options, dryRun: true })
    expect(planned).toMatchObject({ created: false, documents: 2, deleted: 0 })
    expect(planned.written).toBe(planned.chunks)
    expect(await target.target.open(options.collection, { denseSize: 4, create: false })).toBeNull()

    await run([guide], options)
    const second = await ingest([{ ...guide, text: '' }, sheet], target, { ...options, dryRun: true })
    const expected = await ingest(
      [{ ...guide, text: '' }, sheet],
      dependencies(engine.url, createFakeEmbedder()),
      options,
    )
    expect(second).toEqual(expected)
    expect(embedder.asked).toEqual([])
  })

  it('takes the first of two documents of one id and passes warnings on', async () => {
    async function* source() {
      yield { ...sheet, place: 'a.jsonl:1', warning: 'sheet.md is not valid UTF-8' }
      yield { ...notes, docId: 'sheet', place: 'a.jsonl:7' }
      yield { docId: 'data', skipped: 'binary', warning: 'data.md is binary' }
    }
    const { summary } = await run(source(), fresh())
    expect(summary.skipped).toEqual({ binary: 1 })
    expect(summary.documents).toBe(1)
    expect(summary.warnings).toEqual([
      'sheet.md is not valid UTF-8',
      expect.stringMatching(/sheet occurs more than once \(a\.jsonl:1 and a\.jsonl:7\)/),
      'data.md is binary',
    ])
  })

  it('tells its progress, which ends at the summary', async () => {
    const steps: { documents: number; chunks: number; written: number }[] = []
    const skipped = { docId: 'a.pdf', skipped: 'damaged', warning: 'a.pdf is damaged' }
    const summary = await ingest(
      [guide, notes, sheet, skipped],
      dependencies(engine.url, createFakeEmbedder()),
      fresh(),
      step => steps.push(step),
    )
    expect(steps.length).toBeGreaterThan(3)
    // The documents are of one group. None is done before its chunks are written, and none waits for the group.
    for (const { documents, written } of steps) expect(documents < 4 || written === summary.written).toBe(true)
    expect(new Set(steps.map(({ documents }) => documents))).toEqual(new Set([1, 2, 3, 4]))
    expect(steps.at(-1)).toMatchObject({ documents: 4, chunks: summary.chunks, written: summary.written })
    for (const [i, step] of steps.entries()) expect(step.written).toBeGreaterThanOrEqual(steps[i - 1]?.written ?? 0)
  })

  it('tells the size of the changed documents as their chunks are written, and that of all others', async () => {
    const options = { ...fresh(), batchSize: 1 }
    const long = { docId: 'long', title: 'Long', text: `# Long\n\n${'The tide rises.\n\n'.repeat(300)}` }
    const world = dependencies(engine.url, createFakeEmbedder())
    await ingest([guide], world, options)
    const steps: IngestProgress[] = []
    const sources = [guide, guide, { ...long, bytes: 10_000 }]
    await ingest(sources, world, options, step => steps.push(step))
    const unchanged = 2 * guide.text.length
    const ofLong = steps.filter(({ bytes }) => bytes.written > 0)
    const { written: chunks } = steps.at(-1) ?? { written: 0 }
    expect(chunks).toBeGreaterThan(5)
    for (const { written, bytes } of ofLong) {
      expect(bytes.written).toBeCloseTo((10_000 * written) / chunks)
      expect(bytes.unchanged).toBe(unchanged)
    }
    expect(steps[0]?.bytes).toEqual({ written: 0, unchanged: guide.text.length })
    expect(steps.at(-1)?.bytes).toEqual({ written: 10_000, unchanged })
  })
})
