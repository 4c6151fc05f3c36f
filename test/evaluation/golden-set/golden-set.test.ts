import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { checkGoldenSet } from '../../../src/evaluation/golden-check/check.ts'
import { examineGoldenSet, readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function folderOf(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = temporaryFolder('golden')
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

async function faultsOf(files: Record<string, string | Uint8Array>): Promise<{ message: string; faults: string[] }> {
  const failure = await readGoldenSet(await folderOf(files)).catch((error: unknown) => error)
  if (!(failure instanceof StowageError)) throw new Error(`expected a StowageError, got ${String(failure)}`)
  return { message: failure.message, faults: failure.details as string[] }
}

const jsonl = (...rows: unknown[]) => rows.map(row => JSON.stringify(row)).join('\n')
const corpus = jsonl({ doc_id: 'd', title: 'D', text: 'one two three four' })

describe('reading a golden set', () => {
  it('turns spans, sections and whole documents into ranges of their documents', async () => {
    const text = '# Pump\n\nIntro.\n\n## Setup\n\nTurn it.\n\n### Deep\n\nDeeper.\n\n## Stop\n\nHalt.\n'
    const set = await readGoldenSet(
      await folderOf({
        'corpus/manuals/pump.md': text,
        'corpus/notes.txt': 'not part of it',
        'queries.jsonl': jsonl({
          id: 'q',
          query: 'how?',
          intent: 'procedure',
          grade: 2,
          gold: [
            { doc_id: 'manuals/pump', start: 8, end: 14 },
            { doc_id: 'manuals/pump', section_path: 'Pump > Setup' },
            { doc_id: 'manuals/pump', section_path: 'Setup >  Deep' },
            { doc_id: 'manuals/pump' },
          ],
        }),
      }),
    )
    expect(set.documents).toEqual([{ docId: 'manuals/pump', title: 'Pump', text }])
    const [query] = set.queries
    expect(query).toMatchObject({ id: 'q', intent: 'procedure', grade: '2', answer: null })
    const texts = query?.goldPassages.map(gold => [gold.kind, gold.text.trim()])
    expect(texts).toEqual([
      ['span', 'Intro.'],
      ['section', 'Turn it.\n\n### Deep\n\nDeeper.'],
      ['section', 'Deeper.'],
      ['document', text.trim()],
    ])
  })

  it('reads the same set with byte order marks, CRLF and blank lines', async () => {
    const queries = jsonl(
      { id: 'a', query: 'x', gold: [{ doc_id: 'd', start: 0, end: 3 }] },
      { id: 'b', query: 'y', gold: [{ doc_id: 'd' }] },
    )
    const plain = await readGoldenSet(await folderOf({ 'corpus.jsonl': corpus, 'queries.jsonl': queries }))
    const windows = await readGoldenSet(
      await folderOf({
        'corpus.jsonl': `\uFEFF${corpus}\r\n\r\n`,
        'queries.jsonl': `\uFEFF\r\n${queries.replaceAll('\n', '\r\n')}\r\n`,
      }),
    )
    expect(windows.hash).toBe(plain.hash)
    expect(windows.queries).toEqual(plain.queries)
  })

  it('reads a line separator inside a JSON string as text, not as the end of a line', async () => {
    const row = `{"doc_id":"d","title":"","text":"a\u2028b"}`
    const set = await readGoldenSet(
      await folderOf({ 'corpus.jsonl': row, 'queries.jsonl': jsonl({ id: 'q', query: 'x', gold: [{ doc_id: 'd' }] }) }),
    )
    expect(set.documents[0]?.text).toBe('a\u2028b')
  })

  it('keeps markdown offsets the same whatever the line ends of the checkout', async () => {
    const text = '# T\n\nsome words here\n'
    const queries = jsonl({ id: 'q', query: 'x', gold: [{ doc_id: 'a', start: 5, end: 15 }] })
    const read = async (content: string) => {
      const set = await readGoldenSet(await folderOf({ 'corpus/a.md': content, 'queries.jsonl': queries }))
      return set.documents[0]?.text.slice(5, 15)
    }
    expect(await read(text)).toBe('some words')
    expect(await read(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toBe('some words')
  })

  it('reads BEIR folders: positive judgements are whole documents, unjudged queries are left out', async () => {
    const set = await readGoldenSet(
      await folderOf({
        'corpus.jsonl': jsonl({ _id: 'd1', title: 'One', text: 'first' }, { _id: 2, title: '', text: 'second' }),
        'queries.jsonl': jsonl(
          { _id: 7, text: 'judged' },
          { _id: '8', text: 'not judged' },
          { _id: '9', text: 'all zero' },
        ),
        'qrels/test.tsv': 'query-id\tcorpus-id\tscore\r\n7\td1\t1\r\n7\t2\t2\r\n9\td1\t0\r\n',
        'qrels/train.tsv': '7 \t0\td1\t1\n',
      }),
    )
    expect(set.queries).toHaveLength(1)
    expect(set.queries[0]).toMatchObject({ id: '7', query: 'judged' })
    expect(set.queries[0]?.goldPassages).toEqual([
      { kind: 'document', text: 'first', place: { docId: 'd1', start: 0, end: 5 }, grade: 1 },
      { kind: 'document', text: 'second', place: { docId: '2', start: 0, end: 6 }, grade: 2 },
    ])
  })

  it('leaves judgements of empty documents in BEIR folders out, and says where they are', async () => {
    const folder = await folderOf({
      'corpus.jsonl': jsonl({ _id: 'd1', text: 'first' }, { _id: 'none', title: 'One', text: '' }),
      'queries.jsonl': jsonl({ _id: '1', text: 'both' }, { _id: '2', text: 'only the empty one' }),
      'qrels/test.tsv': 'query-id\tcorpus-id\tscore\n1\td1\t1\n1\tnone\t1\n2\tnone\t1\n',
    })
    const { queries, emptyGolds } = await readGoldenSet(folder)
    expect(queries.map(({ id, goldPassages }) => [id, goldPassages.map(({ text }) => text)])).toEqual([
      ['1', ['first']],
    ])
    expect(emptyGolds).toEqual([
      { place: 'qrels/test.tsv:3', docId: 'none' },
      { place: 'qrels/test.tsv:4', docId: 'none' },
    ])
    const examined = await examineGoldenSet(folder)
    const findings = checkGoldenSet(examined, { largestBudget: 100, countTokens: text => text.length })
    expect(findings.map(({ code, place }) => [code, place])).toEqual([
      ['gold_empty', 'qrels/test.tsv:3'],
      ['gold_empty', 'qrels/test.tsv:4'],
    ])
  })

  it('reads BEIR ids that are numbers beyond 2^53, and graded judgements of many documents in two files', async () => {
    const many = 10_000
    const big = '12345678901234567890'
    const lines = (grade: (at: number) => number, trec: boolean) =>
      Array.from(
        { length: many },
        (_, at) => `${at % 10 === 0 ? big : 7}\t${trec ? '0\t' : ''}${at}\t${grade(at)}`,
      ).join('\n')
    const set = await readGoldenSet(
      await folderOf({
        'corpus.jsonl': Array.from({ length: many }, (_, at) => `{"_id":${at},"title":"T","text":"text ${at}"}`).join(
          '\n',
        ),
        'queries.jsonl': `{"_id":${big},"text":"first"}\n{"_id":7,"text":"second"}`,
        // The later file judges again: its grade counts, also the 0 of every third document.
        'qrels/a.tsv': `query-id\tcorpus-id\tscore\n${lines(() => 1, false)}`,
        'qrels/b.tsv': lines(at => at % 3, true),
      }),
    )
    expect(set.queries.map(({ id, goldPassages }) => [id, goldPassages.length])).toEqual([
      [big, 666],
      ['7', 6_000],
    ])
    const grades = set.queries[0]?.goldPassages.map(({ place, grade }) => [place?.docId, grade])
    expect(grades?.slice(0, 3)).toEqual([
      ['10', 1],
      ['20', 2],
      ['40', 1],
    ])
  })

  it('names file, line, field and value of every fault at once', async () => {
    const { faults, message } = await faultsOf({
      'corpus.jsonl': `${corpus}\n{"doc_id":"d","text":"again"}\n{"doc_id":"e","text":7}\n{broken`,
      'queries.jsonl': jsonl(
        { id: 'reversed', query: 'x', gold: [{ doc_id: 'd', start: 5, end: 2 }] },
        { id: 'beyond', query: 'x', gold: [{ doc_id: 'd', start: 0, end: 900 }] },
        { id: 'half', query: 'x', gold: [{ doc_id: 'd', start: 1 }] },
        { id: 'misspelt', query: 'x', gold: [{ doc_id: 'd', strat: 1, end: 2 }] },
        { id: 'unknown', query: 'x', gold: [{ doc_id: 'nobody' }] },
        { id: 'unknown', query: 'x', gold: [{ doc_id: 'd', start: 3, end: 4 }] },
        { id: 'section', query: 'x', gold: [{ doc_id: 'd', section_path: 'Nowhere' }] },
        { id: 'none', query: 'x', gold: [] },
        { id: 'fraction', query: 'x', gold: [{ doc_id: 'd', start: 0.5, end: -2 }] },
        { id: 'intent', query: '  ', intent: 'musing', gold: [{ doc_id: 'd' }] },
      ),
    })
    const expected = [
      'corpus.jsonl:2: doc_id: "d" is already used at corpus.jsonl:1',
      /^corpus.jsonl:3: text: .*got 7$/,
      /^corpus.jsonl:4: not JSON/,
      'queries.jsonl:1: gold.0: end: must be greater than start 5, got 2',
      'queries.jsonl:2: gold.0: end: "d" ends at 18, got 900',
      'queries.jsonl:3: gold.0: end: missing; give both start and end',
      /^queries.jsonl:4: gold.0: .*strat/,
      'queries.jsonl:5: gold.0: doc_id: unknown document "nobody"',
      'queries.jsonl:6: gold.0: no text between 3 and 4 of "d"',
      'queries.jsonl:6: id: "unknown" is already used at queries.jsonl:5',
      'queries.jsonl:7: gold.0: section_path: no section "Nowhere" in "d"',
      /^queries.jsonl:8: gold: .*got \[\]$/,
      /^queries.jsonl:9: gold.0.start: .*got 0.5$/,
      /^queries.jsonl:9: gold.0.end: .*got -2$/,
      /^queries.jsonl:10: query: .*got " {2}"$/,
      /^queries.jsonl:10: intent: .*got "musing"$/,
    ]
    for (const fault of expected) {
      const found = faults.filter(text => (typeof fault === 'string' ? text === fault : fault.test(text)))
      expect(found, String(fault)).toHaveLength(1)
    }
    expect(message).toContain(`${faults.length} fault(s)`)
  })

  it('shows the first twenty faults and counts the others', async () => {
    const rows = Array.from({ length: 35 }, (_, index) => ({
      id: `q${index}`,
      query: 'x',
      gold: [{ doc_id: 'nobody' }],
    }))
    const { message, faults } = await faultsOf({ 'corpus.jsonl': corpus, 'queries.jsonl': jsonl(...rows) })
    expect(faults).toHaveLength(35)
    expect(message.split('\n')).toHaveLength(22)
    expect(message).toContain('… and 15 more')
  })

  it('finds a section whose heading is written with decomposed letters', async () => {
    const text = '# Kåre’s Möbel\n\nÜber uns.\n\n## Öffnungszeiten und Café\n\nTäglich ab neun.\n'
    const set = await readGoldenSet(
      await folderOf({
        'corpus/a.md': text.normalize('NFD'),
        'queries.jsonl': jsonl({
          id: 'q',
          query: 'Wann ist offen?',
          gold: [{ doc_id: 'a', section_path: 'Öffnungszeiten und Café' }],
        }),
      }),
    )
    expect(set.queries[0]?.goldPassages[0]?.text.trim()).toBe('Täglich ab neun.'.normalize('NFD'))
  })

  it('refuses a section path that two sections share, and a section without text', async () => {
    const { faults } = await faultsOf({
      'corpus/a.md': '# A\n\n## Same\n\nx\n\n## Same\n\ny\n\n## Empty\n',
      'queries.jsonl': jsonl(
        { id: '1', query: 'x', gold: [{ doc_id: 'a', section_path: 'A > Same' }] },
        { id: '2', query: 'x', gold: [{ doc_id: 'a', section_path: 'A > Empty' }] },
      ),
    })
    expect(faults[0]).toContain('2 sections are named "A > Same"')
    expect(faults[1]).toContain('no text between')
  })

  it('refuses bytes that are not UTF-8, bad judgements, empty and missing files', async () => {
    const latin = await faultsOf({ 'corpus/a.md': Uint8Array.of(0x23, 0x20, 0xe9, 0x0a), 'queries.jsonl': '' })
    expect(latin.faults).toContain('corpus/a.md: not valid UTF-8')
    expect(latin.faults).toContain('queries.jsonl: holds no queries with gold passages')
    const beir = await faultsOf({
      'corpus.jsonl': jsonl({ _id: 'd', text: 'x' }),
      'queries.jsonl': jsonl({ _id: 'q', text: 'x' }),
      'qrels/test.tsv': 'q\td\t1\nq\td\nghost\td\t1\nq\tnobody\t1\nq\td\tyes\n',
    })
    expect(beir.faults.filter(fault => fault.startsWith('qrels/test.tsv:2:'))).toHaveLength(1)
    expect(beir.faults).toContain('qrels/test.tsv:3: query-id: unknown query "ghost"')
    expect(beir.faults.some(fault => fault.includes('unknown document "nobody"'))).toBe(true)
    expect(beir.faults.filter(fault => fault.startsWith('qrels/test.tsv:5:'))).toHaveLength(1)
    await expect(readGoldenSet(await folderOf({ 'corpus.jsonl': corpus }))).rejects.toThrow('queries.jsonl is missing')
    await expect(readGoldenSet(join(tmpdir(), 'no-such-golden-set'))).rejects.toThrow('is missing')
  })

  it('gives a hash that changes with any text or gold, and a corpus hash that gold passages leave alone', async () => {
    const read = async (text: string, end: number) =>
      readGoldenSet(
        await folderOf({
          'corpus.jsonl': jsonl({ doc_id: 'd', title: 'D', text }),
          'queries.jsonl': jsonl({ id: 'q', query: 'x', gold: [{ doc_id: 'd', start: 0, end }] }),
        }),
      )
    const [first, otherGold, otherText] = [await read('abc def', 3), await read('abc def', 4), await read('abc deg', 3)]
    expect(otherGold.corpusHash).toBe(first.corpusHash)
    expect(new Set([first.hash, otherGold.hash, otherText.hash]).size).toBe(3)
    expect(otherText.corpusHash).not.toBe(first.corpusHash)
  })

  it('answers any garbage in the files with a StowageError or a set whose gold passages lie inside their documents', async () => {
    const row = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({
          id: fc.string(),
          query: fc.string(),
          gold: fc.array(
            fc.record(
              {
                doc_id: fc.constantFrom('d', 'e'),
                start: fc.integer({ min: -2, max: 30 }),
                end: fc.integer({ min: -2, max: 30 }),
              },
              { requiredKeys: ['doc_id'] },
            ),
          ),
        })
        .map(value => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async rows => {
        const folder = await folderOf({ 'corpus.jsonl': corpus, 'queries.jsonl': rows.join('\n') })
        const result = await readGoldenSet(folder).catch((error: unknown) => error)
        if (result instanceof StowageError) return
        const { queries } = result as Awaited<ReturnType<typeof readGoldenSet>>
        for (const { goldPassages } of queries) {
          expect(goldPassages.length).toBeGreaterThan(0)
          for (const { place } of goldPassages)
            expect(place && 0 <= place.start && place.start < place.end && place.end <= 18).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})

const shared = new URL('../../../../shared/data/', import.meta.url).pathname
const sizes = { 'docs-rag': [45, 50], chunking: [19, 276], hotpot: [994, 100], scifact: [5183, 809] } as const

describe('the public sets beside the tree', () => {
  if (!existsSync(shared))
    it('are not here: nothing to read', () => console.warn(`no folder ${shared}: public sets not read`))
  else
    for (const [name, [documents, queries]] of Object.entries(sizes))
      it(`reads ${name}`, async () => {
        const set = await readGoldenSet(join(shared, name))
        expect([set.documents.length, set.queries.length]).toEqual([documents, queries])
      })
})
