import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createCollectionReader } from '../../../src/evaluation/golden-set/collection-reader.ts'
import { type LiveCollection, readCollectionSet } from '../../../src/evaluation/golden-set/collection-set.ts'
import { readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { textAtOffsets } from '../../../src/evaluation/golden-set/joined-text.ts'
import { ingest } from '../../../src/ingest/ingest.ts'
import { createQdrantHttp, type QdrantHttp } from '../../../src/qdrant/client.ts'
import { type PayloadMapping, readChunk } from '../../../src/qdrant/payload/read-chunk.ts'
import { dependencies } from '../../support/ingest-world.ts'
import { fill } from '../../support/points.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const GREATEST = '18446744073709551615'
const UUID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
const manual = `# Pump\n\nThe pump lifts water from the well.\n\n## Setup\n\n${'Turn the wheel slowly to the left. '.repeat(40)}\n\n### Deep\n\nNever open the lower valve at night.\n\n## Stop\n\nHalt it with the brake.\n`

let server: EmbeddedServer
let http: QdrantHttp
let folder = ''
beforeAll(async () => {
  server = await startEmbeddedServer({})
  http = createQdrantHttp(server.url)
  folder = temporaryFolder('collection-set')
  const documents = [
    { docId: 'manuals/pump', title: 'Pump', text: manual },
    { docId: 'other', title: 'Other', text: 'Nothing of use.' },
  ]
  await ingest(documents, dependencies(server.url, null), { collection: 'ours', chunkTokens: 60, overlap: 0.2 })
  await fill(server.url, 'chain', [
    {
      id: UUID,
      payload: { page_content: 'first part', metadata: { source: 'a.md', chunk_index: 0, 'Header 1': 'A' } },
    },
    {
      id: GREATEST,
      payload: {
        page_content: 'second part',
        metadata: { source: 'a.md', chunk_index: 1, 'Header 1': 'A', 'Header 2': 'B' },
      },
    },
    { id: 7, payload: { page_content: 'third part', metadata: { source: 12, chunk_index: 0 } } },
    { id: 8, payload: { page_content: '' } },
  ])
  const node = (text: string) => JSON.stringify({ text, metadata: {} })
  await fill(server.url, 'llama', [
    { id: 1, payload: { _node_content: node('llamas eat grass'), doc_id: 'llama.txt', ref_doc_id: 'llama.txt' } },
    { id: 2, payload: { _node_content: node('llamas carry loads'), doc_id: 'llama.txt', ref_doc_id: 'llama.txt' } },
  ])
})
afterAll(async () => {
  await http.close()
  await server.close()
})

function live(collection: string, mapping?: PayloadMapping): LiveCollection {
  const reader = createCollectionReader({ http, apiKey: null, collection, mapping })
  return { ...reader, refusalOf: tenant => (tenant === 'known' ? null : 'no such tenant'), conditionOf: () => null }
}

/** Reads one query for each list of golds, as JSON text, so that integers beyond 2^53 keep their digits. */
async function read(collection: string, golds: string[], more = '') {
  const file = join(folder, 'asked.jsonl')
  await writeFile(
    file,
    golds.map((gold, at) => `{"id":"q${at}","query":"question ${at}?","gold":${gold}${more}}`).join('\n'),
  )
  return readCollectionSet(file, live(collection))
}
const passages = async (collection: string, golds: string[]) =>
  (await read(collection, golds)).queries.map(({ goldPassages }) => goldPassages)

describe('gold passages in a live collection', () => {
  it('reads documents, sections and spans as a folder of the same documents has them, repeated sentences once', async () => {
    const span = [manual.indexOf('Turn the wheel'), manual.indexOf('### Deep') - 2] as const
    const golds = [
      '[{"doc_id":"manuals/pump"}]',
      '[{"doc_id":"manuals/pump","section_path":"Setup"}]',
      '[{"doc_id":"manuals/pump","section_path":"Pump >  Setup > Deep"}]',
      `[{"doc_id":"manuals/pump","start":${span[0]},"end":${span[1]}}]`,
    ]
    const found = await passages('ours', golds)
    const chunks = (await live('ours').documents(['manuals/pump'])).get('manuals/pump') ?? []
    const words = (text = '') => text.match(/\w+/gu)
    expect(chunks.length).toBeGreaterThan(4)
    expect(words(found[0]?.[0]?.text)).toEqual(words(manual))
    expect(words(found[1]?.[0]?.text)?.join(' ')).toContain(words(manual.slice(...span))?.join(' '))
    expect(found[1]?.[0]?.text).toContain('Never open the lower valve at night.')
    expect(found[1]?.[0]?.text).not.toContain('Halt it')
    expect(found[2]?.[0]?.text).toContain('Never open the lower valve at night.')
    expect(found[2]?.[0]?.text).not.toContain('Turn the wheel')
    expect(words(found[3]?.[0]?.text)).toEqual(words(manual.slice(...span)))
    expect(found.map(([gold]) => [gold?.kind, gold?.place?.docId])).toEqual([
      ['document', 'manuals/pump'],
      ['section', 'manuals/pump'],
      ['section', 'manuals/pump'],
      ['span', 'manuals/pump'],
    ])
  })

  it('reads points by number, u64, UUID in any spelling, and several as one passage; answer texts need no place', async () => {
    const found = await passages('chain', [
      '[{"point_id":7}]',
      `[{"point_id":${GREATEST}},{"point_id":"${GREATEST}"}]`,
      `[{"point_id":["${UUID.toUpperCase().replaceAll('-', '')}",${GREATEST}],"grade":2}]`,
      '[{"text":"  wherever it stands "}]',
    ])
    expect(found.map(golds => golds.map(({ text }) => text))).toEqual([
      ['third part'],
      ['second part', 'second part'],
      ['first part\n\nsecond part'],
      ['wherever it stands'],
    ])
    expect(found[2]?.[0]).toMatchObject({ kind: 'points', place: null, grade: 2 })
    expect(found[3]?.[0]).toMatchObject({ kind: 'text', place: null, grade: 1 })
  })

  it('reads collections as LangChain and LlamaIndex write them, document ids that are numbers too', async () => {
    const chain = await passages('chain', [
      '[{"doc_id":"a.md"}]',
      '[{"doc_id":"12"}]',
      '[{"doc_id":"a.md","section_path":"A > B"}]',
    ])
    expect(chain.map(golds => golds[0]?.text)).toEqual(['first part\n\nsecond part', 'third part', 'second part'])
    const [[llama] = []] = await passages('llama', ['[{"doc_id":"llama.txt"}]'])
    expect(llama?.text.split('\n\n').sort()).toEqual(['llamas carry loads', 'llamas eat grass'])
  })

  it('names file, line, field and value of every gold that is not there, all at once', async () => {
    const failure = await read('chain', [
      '[{"doc_id":"nobody"}]',
      `[{"point_id":99},{"point_id":["${UUID}",18446744073709551614]}]`,
      '[{"doc_id":"a.md","section_path":"Nowhere"}]',
      '[{"doc_id":"a.md","start":0,"end":5}]',
      '[{"point_id":8}]',
      '[{"point_id":-1}]',
      '[{"point_id":1,"doc_id":"a.md"}]',
      '[{"section_path":"A"}]',
      '[{"point_id":7,"text":"once upon a time stood another text under this id"}]',
    ]).catch((error: unknown) => error)
    if (!(failure instanceof StowageError)) throw new Error(`expected faults, got ${String(failure)}`)
    const expected = [
      'asked.jsonl:1: gold.0: doc_id: no document "nobody" in the collection chain',
      'asked.jsonl:2: gold.0: point_id: no point 99 in the collection chain',
      'asked.jsonl:2: gold.1: point_id: no point 18446744073709551614 in the collection chain',
      'asked.jsonl:3: gold.0: section_path: no section "Nowhere" in "a.md"',
      /^asked.jsonl:4: gold.0: start: the chunks of "a.md" have no char_start/,
      /^asked.jsonl:5: gold.0: point_id: no text under a known field in 8/,
      /^asked.jsonl:6: gold.0.point_id: .*got -1$/,
      /^asked.jsonl:7: gold.0: give doc_id or point_id, not both/,
      /^asked.jsonl:8: gold.0: give doc_id, point_id or text/,
      /^asked.jsonl:9: gold.0: text: another text stands there now/,
    ]
    const faults = failure.details as string[]
    for (const fault of expected)
      expect(
        faults.filter(text => (typeof fault === 'string' ? text === fault : fault.test(text))),
        String(fault),
      ).toHaveLength(1)
  })

  it('keeps the digits of big integers in filters, and refuses filters that are no objects and unknown tenants', async () => {
    const set = await read(
      'chain',
      ['[{"point_id":7}]'],
      `,"filter":{"must":[{"key":"n","match":{"value":${GREATEST}}}]},"tenant":"known"`,
    )
    expect(set.queries[0]).toMatchObject({
      tenant: 'known',
      filter: { must: [{ match: { value: BigInt(GREATEST) } }] },
    })
    await expect(read('chain', ['[{"point_id":7}]'], ',"filter":["x"]')).rejects.toThrow(
      /asked.jsonl:1: filter: must be an object.*got \["x"\]/,
    )
    await expect(read('chain', ['[{"point_id":7}]'], ',"tenant":"who"')).rejects.toThrow(
      'asked.jsonl:1: tenant: no such tenant, got "who"',
    )
  })

  it('takes a file of queries for itself, also beside the judgements of another set', async () => {
    await mkdir(join(folder, 'qrels'))
    await writeFile(join(folder, 'qrels', 'test.tsv'), 'q\td\t1')
    const set = await read('chain', ['[{"point_id":7}]'])
    expect([set.name, set.queries.length]).toEqual(['asked', 1])
    await rm(join(folder, 'qrels'), { recursive: true })
  })

  it('knows the text of a document at its offsets, when the chunks tell it', async () => {
    const { liveTexts } = await read('ours', ['[{"doc_id":"manuals/pump"}]'])
    const text = liveTexts?.get('manuals/pump') ?? ''
    for (const sentence of ['The pump lifts', 'Turn the wheel slowly', 'Never open the lower valve', 'Halt it'])
      expect(text.indexOf(sentence), sentence).toBe(manual.indexOf(sentence))
    expect((await read('chain', ['[{"doc_id":"a.md"}]'])).liveTexts?.size).toBe(0)
  })

  it('reads the documents of mapped fields only', async () => {
    const reader = live('chain', { doc_id: 'metadata.source', text: 'page_content' })
    expect([...(await reader.documents(['a.md', 'none'])).keys()]).toEqual(['a.md'])
    await expect(live('absent').documents(['a.md'])).rejects.toMatchObject({ code: 'collection_not_found' })
  })
})

describe('the text of a document from its chunks', () => {
  const at = (charStart: number | null, text: string, charEnd: number | null = null) =>
    readChunk({ id: 1, payload: { doc_id: 'd', text, char_start: charStart, char_end: charEnd } }, 'c')

  it('has every character at its offset, what chunks share once, and no head of a table', () => {
    expect(textAtOffsets([at(10, 'boats sail.'), at(0, 'All boats'), at(4, 'boats')])).toBe('All boats boats sail.')
    expect(textAtOffsets([at(0, 'Die Fähre 🚢 fährt'), at(10, '🚢 fährt um sechs.')])).toBe(
      'Die Fähre 🚢 fährt um sechs.',
    )
    expect(textAtOffsets([at(2, '| berth |\n| north |', 11)])).toBe('  | north |')
    expect(textAtOffsets([])).toBe('')
  })

  it('is unknown without offsets, where chunks differ in what they share, and beyond the length of any document', () => {
    expect(textAtOffsets([at(0, 'All boats'), at(null, 'sail.')])).toBeNull()
    expect(
      textAtOffsets([at(0, 'The manual of the first tenant'), at(0, 'The handbook of the other tenant')]),
    ).toBeNull()
    // Offsets in code points, as LangChain writes them: the second chunk begins one unit later.
    expect(textAtOffsets([at(0, '🚢 sails to the quay'), at(8, 'to the quay and back')])).toBeNull()
    expect(textAtOffsets([at(0, 'start'), at(2 ** 50, 'far away')])).toBeNull()
  })

  it('takes a time that grows with the text', () => {
    const chunks = Array.from({ length: 20_000 }, (_, index) => at(index * 50, 'a'.repeat(100)))
    expect(textAtOffsets(chunks)).toBe('a'.repeat(20_000 * 50 + 50))
  })
})

describe('gold passages without a collection', () => {
  it('counts the text that was marked in a point wherever it stands, and refuses a bare point', async () => {
    await writeFile(join(folder, 'corpus.jsonl'), '{"doc_id":"d","title":"","text":"some words"}')
    await writeFile(
      join(folder, 'queries.jsonl'),
      '{"id":"q","query":"x","gold":[{"point_id":3,"text":"some words"},{"text":"words"}]}',
    )
    const set = await readGoldenSet(folder)
    expect(set.queries[0]?.goldPassages.map(({ kind, text }) => [kind, text])).toEqual([
      ['text', 'some words'],
      ['text', 'words'],
    ])
    await writeFile(join(folder, 'queries.jsonl'), '{"id":"q","query":"x","gold":[{"point_id":3}]}')
    await expect(readGoldenSet(folder)).rejects.toThrow(
      'queries.jsonl:1: gold.0: point_id: [3] is a point of a collection',
    )
  })
})
