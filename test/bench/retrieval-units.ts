import { encodedText } from '../../src/contexts/encoded-text.ts'
import type { GoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { chunkMarkdown, type DocumentChunk } from '../../src/ingest/chunking/chunk-markdown.ts'
import { namesOf } from '../../src/ingest/points.ts'
import { tokenizer } from './world.ts'

const CHUNK_TOKENS = 200
const LEAST_SHARE = 0.5

/** What a set's lists are made of: whole documents, or chunks where evidence is smaller than a document. */
export interface RetrievalUnits {
  kind: 'documents' | 'chunks'
  units: { docId: string; start: number; end: number; encodedText: string }[]
  /** Places of the relevant units, by query. */
  relevant: Set<number>[]
}

/** Units as ingestion would write them, each text with title and section path in front. */
export function unitsOf({ documents, queries }: GoldenSet): RetrievalUnits {
  const whole = queries.every(({ goldPassages }) => goldPassages.every(({ kind }) => kind === 'document'))
  const units = documents.flatMap(document => {
    const chunks = whole ? [asOneChunk(document.text)] : cut(document)
    return chunks.map(chunk => ({
      docId: document.docId,
      start: chunk.charStart,
      end: chunk.charEnd,
      encodedText: encodedText({ ...namesOf(document), sectionPath: chunk.sectionPath, text: chunk.text }),
    }))
  })
  const places = new Map<string, number[]>()
  for (const [place, { docId }] of units.entries()) places.set(docId, [...(places.get(docId) ?? []), place])
  return {
    kind: whole ? 'documents' : 'chunks',
    units,
    relevant: queries.map(({ goldPassages }) => {
      const hits = goldPassages.flatMap(({ place: gold }) =>
        gold === null
          ? []
          : (places.get(gold.docId) ?? []).filter(place => {
              const unit = units[place]
              return unit !== undefined && isHit(unit, gold)
            }),
      )
      return new Set(hits)
    }),
  }
}

/** A unit is a hit when it shares at least half of the smaller of itself and the evidence, in characters. */
export function isHit(unit: { start: number; end: number }, gold: { start: number; end: number }): boolean {
  const shared = Math.min(unit.end, gold.end) - Math.max(unit.start, gold.start)
  return shared > 0 && shared >= LEAST_SHARE * Math.min(unit.end - unit.start, gold.end - gold.start)
}

function cut(document: GoldenSet['documents'][number]): DocumentChunk[] {
  return chunkMarkdown(document, { targetTokens: CHUNK_TOKENS, count: text => tokenizer.count(text) })
}

function asOneChunk(text: string): DocumentChunk {
  return { orderIndex: 0, sectionPath: '', header: '', charStart: 0, charEnd: text.length, text, tokens: 0 }
}
