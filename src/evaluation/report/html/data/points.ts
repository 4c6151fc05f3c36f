import type { TraceCandidate } from '../../../../pipeline/trace/schema.ts'
import type { PointsPart } from '../report-data.ts'

type PointFacts = Pick<TraceCandidate, 'collection' | 'id' | 'doc_id' | 'section_path' | 'order_index'>

const LONGEST_SNIPPET = 280

/** The points of all queries, each once, because many queries have the same candidates. */
export class PointTable {
  readonly #places = new Map<string, number>()
  readonly #points: { id: string; docId: string; sectionPath: string; order: number | null; snippet: string | null }[] =
    []

  /** @param text null when it is unknown @returns the place of the point in the table */
  add(set: string, { collection, id, doc_id, section_path, order_index }: PointFacts, text: string | null): number {
    const key = JSON.stringify([set, collection, String(id)])
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const snippet = text === null ? null : beginningOf(text, LONGEST_SNIPPET)
    this.#places.set(key, this.#points.length)
    return (
      this.#points.push({ id: String(id), docId: doc_id, sectionPath: section_path, order: order_index, snippet }) - 1
    )
  }

  /** The table in columns, with at most `snippetLength` code units of each text. */
  cut(snippetLength: number): PointsPart {
    return {
      id: this.#points.map(({ id }) => id),
      docId: this.#points.map(({ docId }) => docId),
      sectionPath: this.#points.map(({ sectionPath }) => sectionPath),
      order: this.#points.map(({ order }) => order),
      snippet: this.#points.map(({ snippet }) => snippet && beginningOf(snippet, snippetLength)),
    }
  }
}

/** White space is joined, because it says nothing in a preview. */
function beginningOf(text: string, length: number): string {
  // The first slice bounds the work on a text of megabytes.
  const joined = text
    .slice(0, 4 * length)
    .replace(/\s+/gu, ' ')
    .trim()
  if (joined.length <= length && text.length <= 4 * length) return joined.toWellFormed()
  return `${joined.slice(0, Math.max(0, length - 1)).toWellFormed()}…`
}
