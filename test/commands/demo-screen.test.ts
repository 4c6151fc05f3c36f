import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { DemoResult } from '../../src/demo/demo.ts'
import { markRepeated } from '../../src/demo/repeated.ts'
import { closing, sideBySide } from '../../src/demo/side-by-side.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { sampleTrace } from '../support/sample-trace.ts'

const chunk = (id: number, tokens: number) => ({
  id,
  collection: 'c',
  doc_id: `d${id}`,
  doc_title: `A document with a long title, number ${id}`,
  section_path: `First level > Second level > Section ${id}`,
  order_index: 0,
  score: 1,
  relevance: 1,
  relevance_kind: 'reranker' as const,
  tokens,
  text: 'text',
  citation: '[1]',
})

/** Stowage dropped 2 and 3 as copies of 1; plain top-k packed 2, 3 and 4, and has not seen 1. */
function result(): DemoResult {
  const trace = sampleTrace()
  const [sample] = trace.candidates
  if (sample === undefined) throw new Error('the sample has a candidate')
  const copies = [2, 3].map(id => {
    return {
      ...sample,
      id,
      collection: 'c',
      decision: 'dropped',
      reason: 'duplicate',
      evidence: { of: 'c/1' },
    } as const
  })
  const answer = contextAnswer({ budget_tokens: 100 })
  return {
    query: 'Which one?',
    ...answer,
    tokens: 30,
    chunks: [chunk(1, 20), chunk(4, 10)],
    trace: { ...trace, candidates: copies },
    gold_passages: { found: 2, of: 2 },
    top_k: {
      ...answer,
      tokens: 60,
      chunks: [chunk(2, 20), chunk(3, 30), chunk(4, 10)],
      gold_passages: { found: 1, of: 2 },
    },
  }
}

describe('the comparison on a screen', () => {
  it('marks a chunk as repeated when an earlier one has the same original', () => {
    const { top_k, trace } = result()
    expect(markRepeated(top_k.chunks, trace).map(({ repeated }) => repeated)).toEqual([false, true, false])
  })

  it.each([60, 79, 100, 140])('fits %i columns, in colour or without', columns => {
    const plain = sideBySide(result(), { columns, colour: false })
    const colour = sideBySide(result(), { columns, colour: true })
    expect(Math.max(...plain.split('\n').map(line => line.length))).toBeLessThanOrEqual(columns)
    expect(colour).not.toBe(plain)
    expect(stripVTControlCharacters(colour)).toBe(plain)
    // All separators stand in one column.
    const rows = plain.split('\n').filter(line => line.includes(' │ '))
    expect(new Set(rows.map(line => line.indexOf(' │ '))).size).toBe(1)
    expect(rows).toHaveLength(5)
  })

  it('names the document and the section of each chunk, where both are longer than the column', () => {
    const rows = sideBySide(result(), { columns: 80, colour: false }).split('\n')
    expect(rows.filter(row => /A document w… > … > Section \d/u.test(row))).toHaveLength(3)
  })

  it('says whether the passages that answer are in each context', () => {
    const two = sideBySide(result(), { columns: 80, colour: false })
    expect(two).toMatch(/^holds 1 of 2 passages that answer +│ holds 2 of 2 passages that answer/mu)
    const one = {
      ...result(),
      gold_passages: { found: 1, of: 1 },
      top_k: { ...result().top_k, gold_passages: { found: 0, of: 1 } },
    }
    expect(sideBySide(one, { columns: 80, colour: false })).toMatch(/^does not hold the answer +│ holds the answer/mu)
    expect(closing([result(), one], { columns: 80, colour: false })).toContain(
      '1 of 3 with plain top-k, 3 with stowage.',
    )
  })

  it('says what is repeated on both sides', () => {
    const text = closing([result(), result()], { columns: 80, colour: false })
    expect(text).toContain('60 of the 120 tokens of plain top-k (50 %), 0 with stowage')
  })

  it('of nothing is nothing', () => {
    const empty = { ...result(), tokens: 0, chunks: [], top_k: { ...result().top_k, tokens: 0, chunks: [] } }
    expect(sideBySide(empty, { columns: 80, colour: false })).toContain('plain top-k: 0 tokens')
    expect(closing([], { columns: 80, colour: false })).toContain('0 of the 0 tokens of plain top-k (0 %)')
  })
})
