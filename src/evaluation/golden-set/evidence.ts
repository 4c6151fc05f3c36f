import { z } from 'zod'
import type { Span } from '../../ingest/chunking/sections.ts'
import type { SourceDocument } from '../../ingest/read-documents.ts'
import { shown } from '../../ingest/text-files.ts'
import { type Section, sectionsAt, sectionsOf } from './sections.ts'

/** A range of a document. */
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

// Strict, because a misspelt `start` would silently turn a span into a whole document.
export const goldRow = z.strictObject({
  doc_id: z.string().min(1),
  section_path: z.string().min(1).optional(),
  start: z.int().min(0).optional(),
  end: z.int().min(0).optional(),
  grade: z.number().positive().optional(),
})

/** Creates a function that resolves a gold row to its passage, or returns the fault as text. */
export function goldResolver(
  documents: ReadonlyMap<string, SourceDocument>,
): (gold: z.infer<typeof goldRow>) => GoldPassage | string {
  const parsed = new Map<string, Section[]>()
  const sectionsIn = ({ docId, text }: SourceDocument): Section[] => {
    const sections = parsed.get(docId) ?? sectionsOf(text)
    parsed.set(docId, sections)
    return sections
  }
  return ({ doc_id: docId, section_path: path, start, end, grade = 1 }) => {
    const document = documents.get(docId)
    if (!document) return `doc_id: unknown document ${shown(docId)}`
    const sections = path === undefined ? [] : sectionsAt(sectionsIn(document), path)
    const [section] = sections
    if (path !== undefined && !section) return `section_path: no section ${shown(path)} in ${shown(docId)}`
    const isSpan = start !== undefined
    if (isSpan !== (end !== undefined)) return `${isSpan ? 'end' : 'start'}: missing; give both start and end`
    if (!isSpan && sections.length > 1)
      return `section_path: ${sections.length} sections are named ${shown(path)}; give start and end`

    const { length } = document.text
    const from = start ?? section?.start ?? 0
    const to = end ?? section?.end ?? length
    if (isSpan && from >= to) return `end: must be greater than start ${from}, got ${to}`
    if (to > length) return `end: ${shown(docId)} ends at ${length}, got ${to}`
    if (document.text.slice(from, to).trim() === '') return `no text between ${from} and ${to} of ${shown(docId)}`
    const kind = isSpan ? 'span' : section ? 'section' : 'document'
    return { kind, text: document.text.slice(from, to), place: { docId, start: from, end: to }, grade }
  }
}
