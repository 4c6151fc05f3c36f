import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findDocumentField,
  findOrderField,
  findTextField,
  type PayloadMapping,
  readChunk,
} from '../../../src/qdrant/payload/read-chunk.ts'

interface Place {
  page?: number
  lines?: [number, number]
  charStart?: number | null
  charEnd?: number | null
}

const read = (payload: unknown, mapping?: PayloadMapping) => readChunk({ id: 7, payload }, 'docs', mapping)

describe('chunks from payloads', () => {
  it('are read as we write them', () => {
    const payload = {
      doc_id: 'd1',
      doc_title: 'Keys',
      section_path: 'Setup > Keys',
      header: '## Keys',
      order_index: 3,
      char_start: 10,
      char_end: 20,
      text: ' Rotate them. ',
      source: 'elsewhere',
    }
    expect(read(payload)).toEqual({
      id: 7,
      collection: 'docs',
      docId: 'd1',
      docTitle: 'Keys',
      sectionPath: 'Setup > Keys',
      header: '## Keys',
      orderIndex: 3,
      charStart: 10,
      charEnd: 20,
      text: ' Rotate them. ',
    })
  })

  it.each<[string, object, PayloadMapping | undefined, string | undefined]>([
    ['the path', { content: 'T', metadata: { source: '/docs/gate-rules.md' } }, undefined, 'gate rules'],
    [
      'the next name that says something',
      { text: 'T', doc_id: 42, url: 'https://x.org/gate-rules' },
      undefined,
      'gate rules',
    ],
    ['no id', { text: 'T', doc_id: 'd41d8cd98f00b204e9800998ecf8427e' }, undefined, undefined],
    ['nothing beside a title', { text: 'T', doc_id: 'gate-rules', title: 'Gate Rules' }, undefined, undefined],
    [
      'the mapped field',
      { text: 'T', source: 'wiki', page: { url: '/a/gate_rules' } },
      { doc_id: 'page.url' },
      'gate rules',
    ],
    ['the mapped field alone', { text: 'T', source: 'gate-rules', n: '7' }, { doc_id: 'n' }, undefined],
  ])('name their document without a title by %s', (_, payload, mapping, name) => {
    expect(read(payload, mapping).pageName).toBe(name)
  })

  it.each<[string, object, Place]>([
    ['LangChain (JavaScript)', { content: 'T', metadata: { loc: { lines: { from: 3, to: 9 } } } }, { lines: [3, 9] }],
    [
      'its loader of PDF files',
      { content: 'T', metadata: { loc: { pageNumber: 2, lines: { from: 1, to: 4 } } } },
      { page: 2, lines: [1, 4] },
    ],
    ['LangChain (Python)', { page_content: 'T', metadata: { page: 0, start_index: 7 } }, { page: 0, charStart: 7 }],
    ['LlamaIndex', { _node_content: '{"text":"T","start_char_idx":5,"end_char_idx":6}' }, { charStart: 5, charEnd: 6 }],
    ['lines that end before they begin', { content: 'T', metadata: { loc: { lines: { from: 9, to: 3 } } } }, {}],
    ['values of other types', { content: 'T', metadata: { page: 'ii', loc: 'Paris', start_index: -1 } }, {}],
    ['a broken node', { text: 'T', _node_content: '{"start_char_idx":' }, {}],
  ])('know where they stand: %s', (_, payload, { page, lines, charStart = null, charEnd = null }) => {
    const chunk = read(payload)
    expect([chunk.page, chunk.charStart, chunk.charEnd]).toEqual([page, charStart, charEnd])
    expect(chunk.lines).toEqual(lines && { first: lines[0], last: lines[1] })
  })

  it('have no section where ingest found no headings, and says so beside the empty path', () => {
    const payload = { doc_id: 'd1', section_path: '', headings: 'unknown', text: 'Rotate them.' }
    expect(read(payload).sectionPath).toBe('')
    expect(read({ ...payload, section_path: undefined, headings: ['Setup', 'Keys'] }).sectionPath).toBe('Setup > Keys')
  })

  it.each([
    [
      'LangChain (Python)',
      { page_content: 'T', metadata: { source: 'a.md', title: 'A', 'Header 1': 'X', 'Header 2': 'Y' } },
      'page_content',
      'a.md',
      'A',
      'X > Y',
      null,
    ],
    ['LangChain (JS)', { content: 'T', metadata: { source: 'a.md', chunk_index: 4 } }, 'content', 'a.md', '', '', 4],
    [
      'LlamaIndex',
      { _node_content: '{"text":"T","x":1}', ref_doc_id: 'r', header_path: '/A/B/', doc_id: 'r' },
      '_node_content',
      'r',
      '',
      'A > B',
      null,
    ],
    ['Haystack', { content: 'T', meta: { file_path: 'p', headers: ['A', 'B'] } }, 'content', 'p', 'p', 'A > B', null],
    [
      'Haystack after a splitter',
      { id: 'c0ffee', content: 'T', meta: { file_path: 'a.md', source_id: 'cafe', split_id: 0, split_idx_start: 0 } },
      'content',
      'cafe',
      'a.md',
      '',
      0,
    ],
    [
      'Dify',
      { page_content: 'T', metadata: { document_id: 'd', doc_id: 'other' } },
      'page_content',
      'other',
      '',
      '',
      null,
    ],
    ['Mastra', { text: 'T', source: 's', seq: 0 }, 'text', 's', '', '', 0],
    ['Open WebUI', { text: 'T', metadata: { name: 'n.pdf', file_id: 'f' } }, 'text', '7', 'n.pdf', '', null],
    ['text in metadata', { metadata: { text: 'T', url: 'u' } }, 'metadata.text', 'u', '', '', null],
    ['a label beside the text', { page_content: 'T', metadata: { text: 'label' } }, 'page_content', '7', '', '', null],
    ['an object where text might be', { document: { a: 1 }, chunk: 'T' }, 'chunk', '7', '', '', null],
  ] as const)('are found in the payload of %s', (_name, payload, field, docId, title, section, order) => {
    const chunk = read(payload)
    expect([chunk.text, chunk.docId, chunk.docTitle, chunk.sectionPath, chunk.orderIndex]).toEqual([
      'T',
      docId,
      title,
      section,
      order,
    ])
    expect(findTextField(payload)).toBe(field)
    expect(findDocumentField(payload) === null).toBe(docId === '7')
    expect(findOrderField(payload) === null).toBe(order === null)
  })

  it.each([
    ['a file', { document: 'Employee handbook 2024.pdf', page: 3 }],
    ['an address', { content: 'https://docs.example.com/a', metadata: { chunk: '/srv/docs/a.md' } }],
    ['an id', { chunk: '6f2b8a34-6a1e-4a55-9f5b-1d2f0c9d7e11' }],
    [
      'a title beside a long text of another name',
      { document: 'Employee handbook', body: 'Leave is asked for. '.repeat(20) },
    ],
  ])('take no name of %s for the text, unless a mapping says so', (_name, payload) => {
    expect(read(payload).text).toBe('')
    expect(findTextField(payload)).toBeNull()
    const [field = '', value] = Object.entries(payload)[0] ?? []
    expect(read(payload, { text: field }).text).toBe(value)
  })

  it('take short texts, also beside longer ones', () => {
    for (const text of ['Yes.', 'Open the file a.md', '検索拡張生成'])
      expect(read({ text, comment: 'x'.repeat(500) }).text, text).toBe(text)
    expect(read({ content: 'Ask the keeper.', comment: 'x'.repeat(150) }).text).toBe('Ask the keeper.')
    expect(read({ document: '検索拡張生成' }).text).toBe('検索拡張生成')
  })

  it('follow a mapping, dotted paths and dotted keys, and then nothing else', () => {
    const payload = { text: 'no', a: { b: { c: 'yes' } }, 'x.y': 5, doc_id: 'd' }
    expect(read(payload, { text: 'a.b.c', order_index: 'x.y' })).toMatchObject({
      text: 'yes',
      orderIndex: 5,
      docId: 'd',
    })
    expect(read(payload, { text: 'absent' }).text).toBe('')
    expect(findTextField(payload, { text: 'a.b.c' })).toBe('a.b.c')
  })

  it.each([['7.5'], [7.5], [-1], ['3'], [Number.NaN], [2n ** 70n], [null], [[1]]])('take no %s for a place', value => {
    expect(read({ chunk_index: value }).orderIndex).toBeNull()
  })

  it('take big integers and numbers for names and places', () => {
    expect(read({ doc_id: 18446744073709551615n, order_index: 5n })).toMatchObject({
      docId: '18446744073709551615',
      orderIndex: 5,
    })
    expect(readChunk({ id: 18446744073709551615n, payload: null }, 'c').docId).toBe('18446744073709551615')
  })

  it('are never broken by an odd payload', () => {
    const keys = fc.constantFrom(
      ...[
        'text',
        'metadata',
        'meta',
        '_node_content',
        'doc_id',
        'headers',
        'section_path',
        'Header 1',
        'chunk_index',
        '__proto__',
      ],
    )
    const payloads = fc.oneof(
      fc.anything(),
      fc.dictionary(keys, fc.oneof(fc.anything(), fc.dictionary(keys, fc.anything()))),
      fc.dictionary(keys, fc.json()),
    )
    fc.assert(
      fc.property(payloads, payload => {
        const chunk = read(payload)
        for (const value of [chunk.docId, chunk.docTitle, chunk.sectionPath, chunk.header, chunk.text]) {
          expect(typeof value).toBe('string')
        }
        const field = findTextField(payload)
        expect(field === null).toBe(chunk.text === '')
      }),
      { numRuns: 500 },
    )
    const deep = `${'{"metadata":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    expect(read({ _node_content: deep }).text).toBe('')
    expect(read({ constructor: 'x', toString: 'y' }).text).toBe('')
  })

  it('reads of a book stored as one passage the beginning, whole characters only', () => {
    const book = read({ text: `${'a'.repeat(131_071)}🦑 and so on`, char_start: 0, char_end: 131_083 })
    expect(book.text).toBe('a'.repeat(131_071))
    expect([book.charStart, book.charEnd]).toEqual([0, null])
    const long = 'b'.repeat(131_072)
    expect(read({ text: long, char_end: 131_072 })).toMatchObject({ text: long, charEnd: 131_072 })
  })
})
