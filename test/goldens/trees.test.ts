import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkGoldenSet } from '../../src/evaluation/golden-check/check.ts'
import { examineGoldenSet, type GoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import type { QueryRow } from '../../src/evaluation/golden-set/rows.ts'
import { SPLITS, splitOf } from '../../src/evaluation/golden-set/split.ts'
import { terms } from '../../src/text/terms/terms.ts'

const folder = (tree: string) => fileURLToPath(new URL(tree, import.meta.url))
const TREES = ['api-reference', 'handbook', 'policy']

const trees = await Promise.all(
  TREES.map(async tree => {
    const examined = await examineGoldenSet(folder(tree))
    return { tree, examined, set: examined.set, rows: examined.rows.map(({ row }) => row) }
  }),
)
const each = trees.map(tree => [tree.tree, tree] as const)

/** A term is rare when at most this share of the sections of a tree has it. */
const RARE_SHARE = 0.02

/** The questions that share no rare term with their golds, so that only the meaning finds the answer. */
function reworded(set: GoldenSet, rows: readonly QueryRow[]): QueryRow[] {
  const sections = set.documents.flatMap(({ text }) => text.split(/\n(?=#{1,6} )/))
  const counts = countBy(sections.flatMap(section => [...new Set(terms(section))]))
  const isRare = (term: string) => (counts.get(term) ?? 0) <= sections.length * RARE_SHARE
  return rows.filter(({ query, gold }) => {
    const ofGolds = new Set(gold.flatMap(({ text }) => terms(text ?? '')))
    return !terms(query).some(term => ofGolds.has(term) && isRare(term))
  })
}

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function unanswerable(tree: string): { id: string; query: string; unanswerable: boolean }[] {
  const lines = readFileSync(join(folder(tree), 'unanswerable.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return lines.map(line => JSON.parse(line))
}

describe.each(each)('the tree %s', (tree, { examined, set, rows }) => {
  it('has nothing that `golden check` finds', () => {
    const countTokens = (text: string) => text.length / 4
    expect(checkGoldenSet(examined, { largestBudget: 4000, countTokens })).toEqual([])
  })

  it('is of bounded size, with a title on each page and no path or carriage return in it', () => {
    const sizes = readdirSync(join(folder(tree), 'corpus')).map(
      name => statSync(join(folder(tree), 'corpus', name)).size,
    )
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(600_000)
    expect(statSync(join(folder(tree), 'queries.jsonl')).size).toBeLessThan(1_000_000)
    for (const { docId, text } of set.documents) {
      expect(text, docId).toMatch(/^# \S.*\n/)
      expect(text, docId).not.toContain('\r')
    }
  })

  it('names its source, its version, its licence and its changes, and holds the licence', () => {
    const notice = readFileSync(join(folder(tree), 'NOTICE.md'), 'utf8')
    expect(notice).toMatch(/\| Source \| .+ (?:\d+:)?\d+\.\d+\.\d+/)
    expect(notice).toMatch(/\| Licence \| (?:MIT|Apache-2\.0)/)
    expect(notice).toMatch(/\*\*Changes\.\*\*/)
    const licence = join(folder(tree), 'LICENSE.txt')
    const text = existsSync(licence) ? readFileSync(licence, 'utf8') : notice
    expect(text).toMatch(/Permission is hereby granted, free of charge|Apache License\s+Version 2\.0/)
  })

  it('has a hundred questions or more, with answers and golds whose text stands at their place', () => {
    expect(rows.length).toBeGreaterThanOrEqual(100)
    const documents = new Map(set.documents.map(({ docId, text }) => [docId, text]))
    for (const { id, query, answer, gold } of rows) {
      expect(query.length, id).toBeGreaterThan(0)
      expect(answer, id).toBeTruthy()
      for (const { doc_id, start = 0, end = 0, text } of gold) {
        const passage = documents.get(doc_id ?? '')?.slice(start, end) ?? ''
        expect(passage, id).toBe(text)
        expect(passage.trim(), id).toBe(passage)
        expect(passage.length, id).toBeGreaterThanOrEqual(15)
        expect(passage.length, id).toBeLessThanOrEqual(2500)
      }
    }
  })

  it('asks for all kinds of answers; in a tenth, near copies of the answer must be told apart', () => {
    const kinds = countBy(rows.map(({ grade }) => grade ?? ''))
    expect([...kinds.keys()].sort()).toEqual(
      ['comparison', 'definition', 'fact', 'near copy', 'section', 'steps', 'table', 'two places'].sort(),
    )
    expect(kinds.get('near copy')).toBeGreaterThanOrEqual(rows.length / 10)
    for (const { id, grade, gold } of rows)
      if (grade === 'two places') expect(gold.length, id).toBeGreaterThanOrEqual(2)
  })

  it('asks at least a third of its questions without the rare words of the answer', () => {
    expect(reworded(set, rows).length).toBeGreaterThanOrEqual(rows.length / 3)
  })

  it('names no page in a question', () => {
    const names = set.documents.flatMap(({ docId, title }) => [docId.replaceAll('-', ' '), title.toLowerCase()])
    const pages = names.filter(name => name.includes(' '))
    const questions = [...rows, ...unanswerable(tree)].map(({ query }) => query.toLowerCase())
    expect(questions.filter(question => pages.some(page => question.includes(page)))).toEqual([])
  })

  it('has halves of like size that share no text of a gold', () => {
    const spans = rows.flatMap(row => row.gold.map(gold => ({ id: row.id, half: splitOf(row), ...gold })))
    for (const half of SPLITS)
      expect(rows.filter(row => splitOf(row) === half).length / rows.length).toBeGreaterThan(0.4)
    const shared = spans.flatMap(one =>
      spans
        .filter(other => one.half !== other.half && one.doc_id === other.doc_id)
        .filter(other => Math.min(one.end ?? 0, other.end ?? 0) > Math.max(one.start ?? 0, other.start ?? 0))
        .map(other => `${one.id} and ${other.id}`),
    )
    expect(shared).toEqual([])
  })

  it('has fifteen questions or more that its pages do not answer', () => {
    const questions = unanswerable(tree)
    expect(questions.length).toBeGreaterThanOrEqual(15)
    expect(questions.every(question => question.unanswerable && question.query.trim() !== '')).toBe(true)
  })
})

describe('the three trees', () => {
  it('have three hundred questions or more, and no id or question twice', () => {
    const all = trees.flatMap(({ tree, rows }) => [...rows, ...unanswerable(tree)])
    expect(trees.flatMap(({ rows }) => rows).length).toBeGreaterThanOrEqual(300)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(new Set(all.map(({ query }) => query.toLowerCase())).size).toBe(all.length)
  })

  it('are not in the published package', () => {
    const { files } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(files.filter((entry: string) => entry.startsWith('test'))).toEqual([])
  })
})
