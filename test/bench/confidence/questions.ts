import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../../src/core/types.ts'
import { type GoldenQuery, type GoldenSet, readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { type Split, splitOf } from '../../../src/evaluation/golden-set/split.ts'

/**
 * Where a question is asked: to its `own` documents; to these `without` the documents that hold a gold passage, which is the same subject without
 * an answer; to the documents of an `other` set; or to its own documents, for a question that was written so that they do not answer it.
 */
export const WORLDS = ['own', 'without', 'other', 'unanswerable'] as const
export type World = (typeof WORLDS)[number]

/** A question, and the filter of the documents that it is asked to. */
export interface Question {
  world: World
  /** The set that the question is from. */
  from: string
  split: Split
  query: GoldenQuery
  filter: JsonObject | null
}

/** A golden set, with questions that its documents do not answer. */
export interface BenchSet {
  set: GoldenSet
  unanswerable: readonly GoldenQuery[]
}

/** Reads a golden set, and `unanswerable.jsonl` (`{id, query}`) beside it where there is one. */
export async function readBenchSet(path: string): Promise<BenchSet> {
  const set = await readGoldenSet(path)
  const file = join(path, 'unanswerable.jsonl')
  const rows = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line.trim() !== '')
    : []
  const unanswerable = rows.map((line): GoldenQuery => {
    const { id, query } = JSON.parse(line) as { id: string; query: string }
    return {
      id,
      query,
      tenant: null,
      filter: null,
      split: null,
      intent: null,
      grade: null,
      answer: null,
      goldPassages: [],
    }
  })
  return { set, unanswerable }
}

/** The questions to the documents of one set. @param limit most questions of each world, at even distances */
export function questionsTo({ set, unanswerable }: BenchSet, other: GoldenSet | null, limit: number): Question[] {
  const documents = set.documents.map(({ docId, text }) => ({ docId, text: squeezed(text) }))
  const ask = (world: World, from: GoldenSet, query: GoldenQuery, filter: JsonObject | null): Question => ({
    ...{ world, from: from.name, split: world === 'unanswerable' ? 'test' : splitOf(query), query, filter },
  })
  const own = evenly(set.queries, limit)
  return [
    ...own.map(query => ask('own', set, query, query.filter)),
    ...own.map(query => ask('without', set, query, withoutGolds(query, documents))),
    ...(other === null ? [] : evenly(other.queries, limit).map(query => ask('other', other, query, null))),
    ...unanswerable.map(query => ask('unanswerable', set, query, null)),
  ]
}

/** A filter for the documents that hold no gold passage, at its place or as a copy. */
function withoutGolds(
  { goldPassages, filter }: GoldenQuery,
  documents: readonly { docId: string; text: string }[],
): JsonObject {
  const texts = goldPassages.map(({ text }) => squeezed(text))
  const places = goldPassages.flatMap(({ place }) => (place === null ? [] : [place.docId]))
  const copies = documents.filter(({ text }) => texts.some(gold => text.includes(gold))).map(({ docId }) => docId)
  const hidden = [{ key: 'doc_id', match: { any: [...new Set([...places, ...copies])] } }]
  return filter === null ? { must_not: hidden } : { must: [filter], must_not: hidden }
}

const squeezed = (text: string): string => text.toLowerCase().replace(/\s+/gu, ' ').trim()

function evenly<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items]
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)] as Item)
}
