import { z } from 'zod'
import { type Faults, shown } from './files.ts'
import { type Section, sectionsAt, sectionsOf } from './sections.ts'

/** One piece of evidence, as a range of its document in UTF-16 code units, end exclusive; `kind` says how it was given. */
export interface GoldPassage {
  kind: 'span' | 'section' | 'document'
  docId: string
  start: number
  end: number
}

// Strict, because a misspelt `start` would silently turn a span into a whole document.
export const goldRow = z.strictObject({
  doc_id: z.string().min(1),
  section_path: z.string().min(1).optional(),
  start: z.int().min(0).optional(),
  end: z.int().min(0).optional(),
})

type GoldRow = z.infer<typeof goldRow>
type Evidence = { doc_id: string; text: string }

/** Turns gold passages as written into ranges of their documents; a document's sections are parsed once, and only when asked for. */
export class GoldResolver {
  readonly #documents: Map<string, Evidence>
  readonly #faults: Faults
  readonly #sections = new Map<string, Section[]>()

  constructor(documents: Map<string, Evidence>, faults: Faults) {
    this.#documents = documents
    this.#faults = faults
  }

  resolve(gold: GoldRow, place: string): GoldPassage | null {
    const document = this.#documents.get(gold.doc_id)
    if (!document) return this.#fault(place, `doc_id: unknown document ${shown(gold.doc_id)}`)
    const range = this.#range(gold, document, place)
    if (!range) return null
    const docId = gold.doc_id
    if (document.text.slice(range.start, range.end).trim() === '')
      return this.#fault(place, `no text between ${range.start} and ${range.end} of ${shown(docId)}`)
    return { kind: range.kind, docId, start: range.start, end: range.end }
  }

  #range(gold: GoldRow, document: Evidence, place: string): Omit<GoldPassage, 'docId'> | null {
    const { section_path: path, start, end } = gold
    const sections = path === undefined ? [] : sectionsAt(this.#sectionsOf(document), path)
    if (path !== undefined && sections.length === 0)
      return this.#fault(place, `section_path: no section ${shown(path)} in ${shown(gold.doc_id)}`)
    if (start !== undefined && end !== undefined) {
      if (start >= end) return this.#fault(place, `end: must lie behind start ${start}, got ${end}`)
      const { length } = document.text
      if (end > length) return this.#fault(place, `end: ${shown(gold.doc_id)} ends at ${length}, got ${end}`)
      return { kind: 'span', start, end }
    }
    if (start !== undefined || end !== undefined)
      return this.#fault(place, `${start === undefined ? 'start' : 'end'}: missing; start and end come together`)
    if (path === undefined) return { kind: 'document', start: 0, end: document.text.length }
    const [section] = sections
    if (!section || sections.length > 1)
      return this.#fault(
        place,
        `section_path: ${sections.length} sections are named ${shown(path)}; give start and end`,
      )
    return { kind: 'section', start: section.start, end: section.end }
  }

  #sectionsOf(document: Evidence): Section[] {
    const sections = this.#sections.get(document.doc_id) ?? sectionsOf(document.text)
    this.#sections.set(document.doc_id, sections)
    return sections
  }

  #fault(place: string, text: string): null {
    this.#faults.add(place, text)
    return null
  }
}
