import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQdrantStore } from '../../src/adapters/qdrant/store.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { createCollectionReader } from '../../src/evaluation/golden-set/collection-reader.ts'
import { chunkWithParents } from '../../src/ingest/chunking/parents.ts'
import { type IngestOptions, ingest } from '../../src/ingest/ingest.ts'
import { createQdrantHttp, type QdrantHttp } from '../../src/qdrant/client.ts'
import { encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { allPoints, countTokens, createFakeEmbedder, dependencies } from '../support/ingest-world.ts'

const prose = (tag: string, sentences: number): string =>
  Array.from({ length: sentences }, (_, i) => `The ${tag} number ${i} is set to ${i * 7} here.`).join(' ')

const cut = (text: string, targetTokens = 60) => chunkWithParents({ text }, { targetTokens, count: countTokens })

const sentence = fc.nat({ max: 99 }).map(n => `Gauge g${n} of the harbour shows level ${n}.`)
const block = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat({ max: 99 })).map(([depth, n]) => `${'#'.repeat(depth)} Part ${n}`),
  fc.array(sentence, { minLength: 1, maxLength: 40 }).map(all => all.join(' ')),
  fc.array(sentence, { minLength: 1, maxLength: 9 }).map(all => all.map(item => `- ${item}`).join('\n')),
  fc.nat({ max: 99 }).map(n => `Tide t${n}\n: The rise of the sea, as gauge ${n} shows it.`),
)
const markdown = fc.array(block, { maxLength: 40 }).map(blocks => blocks.join('\n\n'))

/** Starts of the headings of depth 1 and 2 that have text below them: what begins a parent, found without the chunker. */
function parentStarts(text: string): number[] {
  return Array.from(text.matchAll(/^##? .*$/gmu), match => match.index)
}

describe('chunkWithParents', () => {
  it('puts each child into its parent, cuts no parent at random, and loses no text', () => {
    fc.assert(
      fc.property(markdown, text => {
        const { chunks, parents } = cut(text)
        const starts = parentStarts(text)
        const faults: string[] = []
        const check = (rule: string, holds: boolean) => holds || faults.push(rule)
        for (const [index, chunk] of chunks.entries()) {
          const parent = chunk.parent === undefined ? null : parents[chunk.parent]
          check(`chunk ${index} is numbered`, chunk.orderIndex === index)
          check(`chunk ${index} is its slice`, text.slice(chunk.charStart, chunk.charEnd) === chunk.text)
          if (parent) check(`chunk ${index} lies in its parent`, liesIn(chunk, parent))
          // No heading of depth 1 or 2 stands inside a child, unless nothing but headings stands before it.
          const inside = starts.filter(at => at > chunk.charStart && at < chunk.charEnd)
          const lead = inside.map(at => text.slice(chunk.charStart, at).replace(/^#.*$/gmu, '').trim())
          check(
            `chunk ${index} spans parents: ${lead}`,
            lead.every(before => countTokens(before) < 12),
          )
          check(`chunk ${index} is too large`, countTokens(chunk.text) <= 60 * 1.5 || /^[-:]/m.test(chunk.text))
        }
        for (const [index, parent] of parents.entries()) {
          const children = chunks.filter(chunk => chunk.parent === index)
          check(`parent ${index} has children`, children.length > 1)
          check(`parent ${index} is its slice`, text.slice(parent.charStart, parent.charEnd) === parent.text)
          check(`parent ${index} is small enough`, countTokens(parent.text) <= 2_048)
          check(`parent ${index} begins after the one before`, parent.charStart >= (parents[index - 1]?.charEnd ?? 0))
          check(`parent ${index} begins with its first child`, children[0]?.charStart === parent.charStart)
          check(`parent ${index} ends with its last child`, children.at(-1)?.charEnd === parent.charEnd)
        }
        const covered = [...text]
        for (const { charStart, charEnd } of chunks) covered.fill('', charStart, charEnd)
        // Headings that nothing follows may be left out.
        const missed = covered
          .join('')
          .replace(/^#+ Part \d+$/gmu, '')
          .trim()
        expect({ faults, missed }).toEqual({ faults: [], missed: '' })
      }),
      { numRuns: 60 },
    )
  })

  it('divides a section above 2,048 tokens at its subsections, and a text without headings into about equal runs', () => {
    const parts = Array.from({ length: 12 }, (_, i) => `### Part ${i}\n\n${prose(`p${i}`, 20)}`)
    const divided = cut(`## Whole\n\n${parts.join('\n\n')}`, 384).parents
    expect(divided).toHaveLength(2)
    expect(divided.map(({ text }) => text.startsWith('## Whole') || text.startsWith('### Part'))).toEqual([true, true])
    const runs = cut(prose('plain', 300), 384).parents
    expect(runs.length).toBeGreaterThan(1)
    for (const { text } of runs) expect(countTokens(text)).toBeGreaterThan(900)
  })

  it('joins small subsections to a child, under the path that they share', () => {
    const text = `## Valves\n\n### Left\n\n${prose('left', 2)}\n\n### Right\n\n${prose('right', 2)}\n\n## Bells\n\n${prose('bell', 2)}`
    expect(cut(text).chunks.map(({ sectionPath }) => sectionPath)).toEqual(['Valves', 'Bells'])
  })

  it('keeps a paragraph that defines terms whole', () => {
    const terms = Array.from({ length: 8 }, (_, i) => `Term ${i}\n: What the term ${i} means. It is said twice.`).join(
      '\n',
    )
    expect(cut(terms).chunks.map(({ text }) => text)).toEqual([terms])
  })
})

function liesIn(inner: { charStart: number; charEnd: number }, outer: { charStart: number; charEnd: number }): boolean {
  return inner.charStart >= outer.charStart && inner.charEnd <= outer.charEnd
}

describe('ingest --chunking parent-child', () => {
  let engine: EmbeddedServer
  let http: QdrantHttp
  beforeAll(async () => {
    engine = await startEmbeddedServer()
    http = createQdrantHttp(engine.url)
  })
  afterAll(async () => {
    await http.close()
    await engine.close()
  })

  const guide = (bells = 9) => ({
    docId: 'guide',
    title: 'Guide',
    text: `## Tides\n\n${prose('gauge', 20)}\n\n## Bells\n\n${prose('bell', bells)}`,
  })
  const options = (collection: string): IngestOptions => ({ collection, chunking: 'parent-child', chunkTokens: 40 })
  async function run(document: ReturnType<typeof guide>, given: IngestOptions) {
    const embedder = createFakeEmbedder()
    const summary = await ingest([document], dependencies(engine.url, embedder), given)
    const points = await allPoints(engine.url, given.collection)
    const parents = points.filter(({ payload }) => payload.is_parent === true)
    return { summary, embedder, parents, chunks: points.filter(point => !parents.includes(point)) }
  }

  it('stores parents without vectors, which children name, and counts chunks only', async () => {
    const { summary, parents, chunks, embedder } = await run(guide(), {
      ...options('plain'),
      tenant: 'acme',
      lang: 'en',
    })
    expect(parents).toHaveLength(2)
    expect(summary).toMatchObject({ chunks: chunks.length, written: chunks.length, deleted: 0 })
    expect(embedder.asked).toHaveLength(chunks.length)
    for (const { vector, payload } of parents) {
      expect(vector).toEqual({})
      expect(payload).toMatchObject({ doc_id: 'guide', tenant: 'acme', lang: 'en' })
      expect(payload).not.toHaveProperty('order_index')
    }
    const ids = new Set(parents.map(({ id }) => id))
    for (const { payload } of chunks) expect(ids).toContain(payload.parent_id)
  })

  it('hides parents from searches, neighbours, samples and golden passages', async () => {
    const { parents, chunks } = await run(guide(), options('hidden'))
    const call = { apiKey: null, condition: null, signal: new AbortController().signal }
    const store = createQdrantStore({ http })
    const query = { collection: 'hidden', filter: null, limit: 100, withVectors: false }
    const sparse = encodeBm25Query('gauge bell number')
    const { lists } = await store.search({ ...query, dense: [1, 0, 0, 0], sparse }, call)
    const hits = lists.flatMap(({ hits }) => hits.map(({ chunk }) => chunk.id))
    expect(new Set(hits)).toEqual(new Set(chunks.map(({ id }) => id)))
    const places = chunks.map((_, orderIndex) => ({ docId: 'guide', orderIndex }))
    expect(await store.fetchPlaces('hidden', places, null, call)).toHaveLength(chunks.length)
    const reader = createCollectionReader({ http, apiKey: null, collection: 'hidden', mapping: undefined })
    expect((await reader.documents(['guide'])).get('guide')).toHaveLength(chunks.length)
    // A collection whose first point is a parent has the same profile.
    const first = chunks.find(({ payload }) => payload.order_index === 0)?.id ?? ''
    const only = { must: [{ has_id: [...parents.map(({ id }) => id), first] }] }
    expect(await store.fetchPlaces('hidden', places.slice(0, 1), null, { ...call, condition: only })).toHaveLength(1)
  })

  it('gives the parents of chunks by their ids, and nothing to a tenant or a filter that leaves them out', async () => {
    const { parents, chunks } = await run(guide(), { ...options('fetched'), tenant: 'acme' })
    const call = { apiKey: null, condition: null, signal: new AbortController().signal }
    const store = createQdrantStore({ http })
    const sparse = encodeBm25Query('gauge number')
    const asked = { collection: 'fetched', filter: null, limit: 100, withVectors: false, dense: null, sparse }
    const hits = (await store.search(asked, call)).lists.flatMap(list => list.hits)
    const ids = [...new Set(hits.flatMap(hit => hit.chunk.parentId ?? []))]
    expect(ids.length).toBeGreaterThan(0)
    const fetched = await store.fetchParents('fetched', ids, null, call)
    expect(new Set(fetched.map(({ id }) => id))).toEqual(new Set(ids))
    for (const { chunk } of hits) {
      const parent = fetched.find(({ id }) => id === chunk.parentId)
      const start = (chunk.charStart ?? 0) - (parent?.charStart ?? 0)
      expect(parent?.text.slice(start, start + chunk.text.length)).toBe(chunk.text)
    }

    const all = [...parents, ...chunks].map(({ id }) => id)
    expect(await store.fetchParents('fetched', all, null, call)).toHaveLength(parents.length)
    expect(await store.fetchParents('fetched', [], null, call)).toEqual([])
    const of = (value: string) => ({ must: [{ key: 'tenant', match: { value } }] })
    expect(await store.fetchParents('fetched', all, of('acme'), call)).toHaveLength(parents.length)
    expect(await store.fetchParents('fetched', all, of('zeta'), call)).toEqual([])
    expect(await store.fetchParents('fetched', all, of('acme'), { ...call, condition: of('zeta') })).toEqual([])
  })

  it('skips an unchanged document, and writes what a change touches only', async () => {
    const first = await run(guide(), options('again'))
    const again = await run(guide(), options('again'))
    expect(again.summary).toMatchObject({ unchanged: 1, chunks: first.summary.chunks, written: 0, deleted: 0 })
    const more = await run(guide(13), options('again'))
    // The first chunk is written too, because it has the mark of the document.
    expect(more.embedder.asked.filter(text => !text.includes('bell'))).toHaveLength(1)
    expect(more.parents).toHaveLength(2)
    const fresh = await run(guide(13), { ...options('fresh') })
    const textsOf = (rows: typeof fresh.chunks) => rows.map(({ payload }) => payload.text).sort()
    expect([textsOf(more.chunks), textsOf(more.parents)]).toEqual([textsOf(fresh.chunks), textsOf(fresh.parents)])
  })

  it('removes parents when the way of cutting changes, and when the document leaves the source', async () => {
    await run(guide(), { ...options('changes'), source: 'handbook' })
    const sections = await run(guide(), { ...options('changes'), source: 'handbook', chunking: 'sections' })
    expect(sections.parents).toEqual([])
    const back = await run(guide(), { ...options('changes'), source: 'handbook' })
    expect(back.parents).toHaveLength(2)
    const given = { ...options('changes'), source: 'handbook', prune: true, allowEmpty: true }
    const pruned = await ingest([], dependencies(engine.url, createFakeEmbedder()), given)
    expect(pruned.deleted).toBe(back.chunks.length)
    expect(await allPoints(engine.url, 'changes')).toEqual([])
  })
})
