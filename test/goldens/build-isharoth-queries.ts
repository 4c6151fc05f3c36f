/**
 * Derives the gold offsets of `goldens/isharoth/queries.jsonl` from anchor strings, so that a span
 * survives an edit elsewhere in its document. Run: `npx tsx test/goldens/build-isharoth-queries.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where a gold passage begins (`from` is unique in the document) and ends (first `to` after it). */
interface Anchor {
  doc_id: string
  from: string
  to: string
}

/** A golden query before its offsets are known. */
interface AnchoredQuery {
  id: string
  query: string
  intent: string
  grade: string
  gold: Anchor[]
  answer: string
}

/** A gold span: UTF-16 offsets into the document, end exclusive. */
export interface GoldSpan {
  doc_id: string
  section_path: string
  start: number
  end: number
}

/** One row of `queries.jsonl`. */
export type GoldenQuery = Omit<AnchoredQuery, 'gold'> & { gold: GoldSpan[] }

const anchorsUrl = new URL('isharoth-anchors.jsonl', import.meta.url)
const setUrl = new URL('../../goldens/isharoth/', import.meta.url)

/** The headings above an offset, outermost first and without the title, joined with " > ". */
export function sectionPathAt(text: string, offset: number): string {
  const open: string[] = []
  for (const heading of text.slice(0, offset).matchAll(/^(#{2,3}) (.+)$/gm)) {
    const level = (heading[1] ?? '').length - 2
    open.length = Math.min(open.length, level)
    open.push(heading[2] ?? '')
  }
  return open.join(' > ')
}

/** Finds an anchored passage in a document; throws when the anchor is missing or ambiguous. */
export function locate(text: string, anchor: Anchor): GoldSpan {
  const start = text.indexOf(anchor.from)
  const last = text.indexOf(anchor.to, start)
  if (start < 0 || last < 0) throw new Error(`anchor not found in ${anchor.doc_id}: ${anchor.from}`)
  if (text.includes(anchor.from, start + 1)) {
    throw new Error(`anchor not unique in ${anchor.doc_id}: ${anchor.from}`)
  }
  return {
    doc_id: anchor.doc_id,
    section_path: sectionPathAt(text, start),
    start,
    end: last + anchor.to.length,
  }
}

/** All rows of the set, in the order of the anchors file. */
export function buildQueries(): GoldenQuery[] {
  return readFileSync(anchorsUrl, 'utf8')
    .trim()
    .split('\n')
    .map(line => {
      const row = JSON.parse(line) as AnchoredQuery
      const gold = row.gold.map(anchor =>
        locate(readFileSync(new URL(`corpus/${anchor.doc_id}.md`, setUrl), 'utf8'), anchor),
      )
      return {
        id: row.id,
        query: row.query,
        intent: row.intent,
        grade: row.grade,
        gold,
        answer: row.answer,
      }
    })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = buildQueries().map(row => `${JSON.stringify(row)}\n`)
  writeFileSync(new URL('queries.jsonl', setUrl), lines.join(''))
}
