import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Trace, TraceCandidate } from '../../src/pipeline/trace/schema.ts'
import { marksFor, shareFound } from '../../src/ui/page/model/marks.ts'
import { keysWithTexts, runsOf, storedRun } from '../../src/ui/page/model/run.ts'
import { listEnds, mayBeId, whatHappened } from '../../src/ui/page/model/why.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { sampleTrace } from '../support/sample-trace.ts'

const TEXT = 'The warden greases the pump each spring. Nobody knows why. Salt eats the brass of the bell.'
const marked = (question: string, expected: string, text: string, others: string[] = []) => {
  const marks = marksFor(question, expected, [text, ...others])
  return { kind: marks.kind, texts: marks.rangesIn(text).map(({ start, end }) => text.slice(start, end)) }
}

describe('marks', () => {
  test('show the expected answer, whatever its case and signs', () => {
    expect(marked('Who?', 'the WARDEN greases, the pump', TEXT)).toEqual({
      kind: 'expected',
      texts: ['The warden greases the pump'],
    })
    expect(marked('Who?', 'The warden greases the boiler', TEXT).texts).toEqual([])
    expect([shareFound('brass of the bell', [TEXT]), shareFound('gold', [TEXT]), shareFound(' … ', [TEXT])]).toEqual([
      1,
      0,
      null,
    ])
  })

  test('show the sentence that holds most terms of the question, by their stems', () => {
    expect(marked('Who is greasing the pumps?', '', TEXT)).toEqual({
      kind: 'near',
      texts: ['The warden greases the pump each spring.'],
    })
    expect(marked('Where do pelicans nest?', '', TEXT).texts).toEqual([])
  })

  test('show nothing when the terms are everywhere', () => {
    expect(marked('bell?', '', 'The bell rings. A bell falls. The bell is old.')).toEqual({ kind: 'none', texts: [] })
  })

  test('are ordered ranges inside of any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        fc.string({ unit: 'grapheme' }),
        (question, expected, text) => {
          let from = 0
          for (const { start, end } of marksFor(question, expected, [text]).rangesIn(text)) {
            expect(start).toBeGreaterThanOrEqual(from)
            expect(end).toBeGreaterThanOrEqual(start)
            from = end
          }
          expect(from).toBeLessThanOrEqual(text.length)
        },
      ),
    )
  })

  test('take texts of one sign', () => {
    for (const text of ['a'.repeat(100_000), '\n'.repeat(100_000), '.'.repeat(100_000), '😀'.repeat(50_000)]) {
      marksFor(text.slice(0, 8_192), '', [text]).rangesIn(text)
      marksFor('', text.slice(0, 20_000), [text]).rangesIn(text)
    }
  })
})

function candidate(id: string | number, over: Partial<TraceCandidate> = {}): TraceCandidate {
  const [first] = sampleTrace().candidates
  if (first === undefined) throw new Error('the sample has a candidate')
  const dropped = { decision: 'dropped', position: null, reason: 'over_budget', evidence: null } as const
  return { ...first, id, collection: 'c', doc_id: `doc ${id}`, section_path: '', lists: [], ...dropped, ...over }
}

const signal = (source: string, rank: number, score: number) =>
  ({ source, kind: source === 'dense' ? 'dense' : 'keyword', rank, score, weight: 0.5, contribution: 0.1 }) as const
const passage = (id: string | number, text: string) => ({
  ...{ collection: 'c', id, doc_id: `doc ${id}`, doc_title: `Title ${id}`, section_path: 'Section', text },
})
const CANDIDATES = [
  candidate(3, { final: 0.2, lists: [signal('dense', 9, 0.3)] }),
  candidate(2, { final: 0.9, reason: 'duplicate', evidence: { of: 'c/1', similarity: 0.95 } }),
  candidate(1, {
    decision: 'packed',
    position: 1,
    reason: null,
    tokens: 12,
    lists: [signal('dense', 1, 0.8), signal('keyword', 4, 2)],
  }),
]
const TRACE: Trace = sampleTrace({ candidates: CANDIDATES })
const PASSAGES = [passage(1, TEXT), passage(2, `${TEXT} Again.`), passage(3, 'A quite different passage about lamps.')]

describe('a stored run', () => {
  test('has those of the context first, then the others by value, and names what the evidence means', () => {
    const { rows, blocks } = storedRun(TRACE, PASSAGES)
    expect(rows.map(({ candidate: { id }, rank }) => [id, rank])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(rows[1]?.evidence).toBe('because of #1 “Title 1 > Section”, similarity 0.95')
    expect(blocks).toMatchObject([{ place: 1, tokens: 12, text: TEXT }])
  })

  test('is shown without texts, too', () => {
    const { rows, blocks } = storedRun(TRACE, [])
    expect(rows.map(({ text }) => text)).toEqual([null, null, null])
    expect(blocks).toMatchObject([{ text: null, name: 'doc 1' }])
  })
})

test('a comparison crosses out what the trace of stowage calls a duplicate', () => {
  const answer = contextAnswer()
  const chunks = [1, 2, 3].map(id => ({
    ...{ id, collection: 'c', doc_id: `doc ${id}`, doc_title: '', section_path: '', order_index: null, score: 1 },
    ...{ relevance: 0.5, relevance_kind: 'reranker' as const, tokens: 5, text: TEXT, citation: String(id) },
  }))
  const side = { ...answer, trace: TRACE, chunks }
  const [stowage, other] = runsOf(
    { stowage: { ...side, chunks: chunks.slice(0, 1) }, top_k: side, passages: PASSAGES, passages_missing: null },
    'plain',
  )
  expect(stowage.blocks.map(({ repeated }) => repeated)).toEqual([false])
  expect(other.blocks.map(({ repeated }) => repeated)).toEqual([false, true, false])
  // The copy (2) counts as there when its original (1) is, and the other way round.
  expect([...keysWithTexts(stowage.blocks, TRACE)].sort()).toEqual(['c/1', 'c/2'])
  expect([...keysWithTexts(other.blocks.slice(1, 2), TRACE)].sort()).toEqual(['c/1', 'c/2'])
})

describe('why not this chunk', () => {
  const run = storedRun(TRACE, PASSAGES)
  const ask = (text: string) => {
    const { by, rows } = whatHappened(text, run)
    return [by, rows.map(({ candidate: { id } }) => id)]
  }

  test('finds it by id, by document and by text', () => {
    expect(ask(' 2 ')).toEqual(['id', [2]])
    expect(ask('c/3')).toEqual(['id', [3]])
    expect(ask('DOC 3')).toEqual(['document', [3]])
    expect(ask('title 1 > section')).toEqual(['document', [1]])
    expect(ask('different passage about lamps')).toEqual(['text', [3]])
    expect(ask('salt eats the brass of the bell')).toEqual(['text', [1, 2]])
  })

  test('else shows the nearest, and where the lists end', () => {
    expect(ask('lamps of glass')).toEqual([null, [3]])
    expect(ask('pelicans')).toEqual([null, []])
    expect(listEnds(TRACE)).toEqual([
      { source: 'dense', rank: 9, score: 0.3 },
      { source: 'keyword', rank: 4, score: 2 },
    ])
  })

  test('knows what may be an id', () => {
    const uuid = '0191f0a1-0000-7000-8000-000000000000'
    expect(['17', uuid, uuid.replaceAll('-', ''), 'x', '1.5', ''].map(mayBeId)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
