import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildQueries, type GoldenQuery, sectionPathAt } from './build-isharoth-queries.ts'

const setUrl = new URL('../../goldens/isharoth/', import.meta.url)

const documents = new Map(
  readdirSync(new URL('corpus/', setUrl)).map(name => [
    name.replace(/\.md$/, ''),
    readFileSync(new URL(`corpus/${name}`, setUrl), 'utf8'),
  ]),
)

const queries = readFileSync(new URL('queries.jsonl', setUrl), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as GoldenQuery)

const spans = queries.flatMap(query => query.gold.map(gold => ({ id: query.id, ...gold })))

function textOf(span: { doc_id: string; start: number; end: number }): string {
  return documents.get(span.doc_id)?.slice(span.start, span.end) ?? ''
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function fiveGramsOf(text: string): Set<string> {
  const words = wordsOf(text)
  return new Set(words.slice(4).map((_, index) => words.slice(index, index + 5).join(' ')))
}

function countBy(values: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

describe('the documents', () => {
  it('are some forty or more, of real length, with a title and several sections', () => {
    expect(documents.size).toBeGreaterThanOrEqual(40)
    for (const [docId, text] of documents) {
      const words = wordsOf(text).length
      expect(words, docId).toBeGreaterThan(600)
      expect(words, docId).toBeLessThan(2000)
      expect(text, docId).toMatch(/^# \S.*\n/)
      expect(text.match(/^# /gm), docId).toHaveLength(1)
      expect(text.match(/^##/gm)?.length ?? 0, docId).toBeGreaterThanOrEqual(4)
      expect(text, docId).not.toMatch(/[{}]|\r|[ \t]\n/)
    }
  })

  it('repeat paragraphs nearly word for word across documents', () => {
    const paragraphs = [...documents].flatMap(([docId, text]) =>
      text
        .split('\n\n')
        .filter(paragraph => wordsOf(paragraph).length >= 60)
        .map(paragraph => ({ docId, grams: fiveGramsOf(paragraph) })),
    )
    let pairs = 0
    for (const [index, one] of paragraphs.entries()) {
      for (const other of paragraphs.slice(index + 1)) {
        if (one.docId === other.docId) continue
        const [small, large] = one.grams.size < other.grams.size ? [one.grams, other.grams] : [other.grams, one.grams]
        const shared = [...small].filter(gram => large.has(gram)).length
        if (shared / small.size >= 0.9) pairs += 1
      }
    }
    expect(pairs).toBeGreaterThanOrEqual(12)
  })

  it('name Isharoth often in passages that do not say who that is', () => {
    const decoys = [...documents.values()]
      .flatMap(text => text.split('\n\n'))
      .filter(paragraph => (paragraph.match(/Isharoth/g)?.length ?? 0) >= 6)
    expect(decoys.length).toBeGreaterThanOrEqual(10)
    expect(decoys.some(paragraph => paragraph.includes('thinking engine'))).toBe(false)
  })
})

describe('the queries', () => {
  it('have unique ids and wordings, a query and an answer', () => {
    expect(new Set(queries.map(query => query.id)).size).toBe(queries.length)
    expect(new Set(queries.map(query => query.query.toLowerCase())).size).toBe(queries.length)
    for (const query of queries) {
      expect(query.query.trim(), query.id).toBe(query.query)
      expect(query.query.length, query.id).toBeGreaterThan(0)
      expect(query.answer.length, query.id).toBeGreaterThan(0)
      expect(query.gold.length, query.id).toBeGreaterThan(0)
    }
  })

  it('cover the six intents and the three grades', () => {
    const intents = countBy(queries.map(query => query.intent))
    expect([...intents.keys()].sort()).toEqual([
      'comparison',
      'definition',
      'exploratory',
      'identifier',
      'measurement',
      'procedure',
    ])
    for (const [intent, count] of intents) expect(count, intent).toBeGreaterThanOrEqual(8)

    const grades = countBy(queries.map(query => query.grade))
    expect([...grades.keys()].sort()).toEqual(['easy', 'hard', 'medium'])
    for (const [grade, count] of grades) expect(count, grade).toBeGreaterThanOrEqual(20)
  })

  it('are enough, with some about Isharoth and some that need two passages', () => {
    expect(queries.length).toBeGreaterThanOrEqual(64)
    expect(queries.filter(query => query.query.includes('Isharoth')).length).toBeGreaterThanOrEqual(6)
    expect(queries.filter(query => query.gold.length > 1).length).toBeGreaterThanOrEqual(8)
    expect(queries.find(query => query.id === 'isharoth-who')?.query).toBe('Who is Isharoth?')
  })

  it('stand in the file as the anchors give them', () => {
    expect(queries).toEqual(buildQueries())
  })
})

describe('the gold spans', () => {
  it.each(spans)('$id in $doc_id lies inside its document, trimmed, under the section it names', span => {
    const text = documents.get(span.doc_id)
    expect(text).toBeDefined()
    expect(span.start).toBeGreaterThanOrEqual(0)
    expect(span.end).toBeLessThanOrEqual(text?.length ?? 0)
    const passage = textOf(span)
    expect(passage.length).toBeGreaterThanOrEqual(80)
    expect(passage.length).toBeLessThanOrEqual(900)
    expect(passage.trim()).toBe(passage)
    expect(sectionPathAt(text ?? '', span.start)).toBe(span.section_path)
  })

  it('stand in one document only', () => {
    for (const span of spans) {
      const holders = [...documents].filter(([, text]) => text.includes(textOf(span))).map(([docId]) => docId)
      expect(holders, span.id).toEqual([span.doc_id])
    }
  })
})
