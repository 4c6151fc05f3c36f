import { getOrInsert } from '../../core/collections.ts'
import type { Span } from '../../core/types.ts'
import type { SourceDocument } from '../../ingest/source-document.ts'
import { shown } from '../../ingest/text-files.ts'
import type { GoldRow } from './rows.ts'
import { type Section, sectionsAt, sectionsOf } from './sections.ts'

export interface DocumentSpan extends Span {
  docId: string
}

/** One piece of evidence. */
export interface GoldPassage {
  /** How the set gives the passage. */
  kind: 'span' | 'section' | 'document' | 'points' | 'text'
  text: string
  /** Where it stands; null when only its text is known. */
  place: DocumentSpan | null
  /** How relevant it is, above 0: the score of a BEIR judgement, else 1. */
  grade: number
}

/** Resolves a gold row to its passage, or returns the fault as text. */
export type GoldResolver = (gold: GoldRow) => GoldPassage | string

/** Creates a resolver of gold rows by the documents of a set. */
export function goldResolver(documents: ReadonlyMap<string, SourceDocument>): GoldResolver {
  const parsed = new Map<string, Section[]>()
  const sectionsIn = ({ docId, text }: SourceDocument) => getOrInsert(parsed, docId, () => sectionsOf(text))
  return ({ doc_id: docId, section_path: path, start, end, point_id: points, text: marked, grade = 1 }) => {
    // The points of a collection are unknown here, but the text that was marked in them counts wherever it stands.
    if (docId === undefined && marked !== undefined) return { kind: 'text', text: marked, place: null, grade }
    if (docId === undefined)
      return `point_id: ${shown(points)} is a point of a collection; name it with --url and --collection, or give its text`
    const document = documents.get(docId)
    if (!document) return `doc_id: unknown document ${shown(docId)}`
    const sections = path === undefined ? [] : sectionsAt(sectionsIn(document), path)
    const [section] = sections
    if (path !== undefined && !section) return `section_path: no section ${shown(path)} in ${shown(docId)}`
    const fault = faultOfSpan(start, end)
    if (fault !== null) return fault
    const isSpan = start !== undefined
    if (!isSpan && sections.length > 1)
      return `section_path: ${sections.length} sections are named ${shown(path)}; give start and end`

    const { length } = document.text
    const from = start ?? section?.start ?? 0
    const to = end ?? section?.end ?? length
    if (to > length) return `end: ${shown(docId)} ends at ${length}, got ${to}`
    if (document.text.slice(from, to).trim() === '') return `no text between ${from} and ${to} of ${shown(docId)}`
    const kind = isSpan ? 'span' : section ? 'section' : 'document'
    return { kind, text: document.text.slice(from, to), place: { docId, start: from, end: to }, grade }
  }
}

/** What is wrong with the two ends of a span; null for a good span and for none. */
export function faultOfSpan(start: number | undefined, end: number | undefined): string | null {
  if ((start === undefined) !== (end === undefined))
    return `${start === undefined ? 'start' : 'end'}: missing; give both start and end`
  return start !== undefined && end !== undefined && start >= end
    ? `end: must be greater than start ${start}, got ${end}`
    : null
}
