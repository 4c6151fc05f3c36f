import { elements, members } from '../../../qdrant/raw-json.ts'
import { memberOf, readResult, replaceResult } from './envelope.ts'

/** The answer to `POST /points` from that of a scroll: the points that were found, in the order of `ids`, each once. */
export function pointsById(scrolled: string, ids: readonly string[]): string {
  const found = foundPoints(scrolled)
  const points = [...new Set(ids.map(idKey))].flatMap(id => found.get(id) ?? [])
  return replaceResult(scrolled, `[${points.join(',')}]`)
}

/** The answer to `GET /points/{id}` from that of a scroll; null when there is no such point. */
export function pointById(scrolled: string, id: string): string | null {
  const point = foundPoints(scrolled).get(idKey(id))
  return point === undefined ? null : replaceResult(scrolled, point)
}

/** The raw points of a scroll by `idKey`. */
function foundPoints(scrolled: string): Map<string, string> {
  const points = readResult(scrolled, result => elements(memberOf(result, 'points')))
  return new Map(
    readResult(scrolled, () => points.map(point => [idKey(members(point).get('id') ?? ''), point] as const)),
  )
}

/** One spelling for each id: digits, or a UUID in lower case without its punctuation. Qdrant reads more spellings than it prints. */
function idKey(id: string): string {
  return /^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : id.toLowerCase().replace(/urn:uuid:|[^0-9a-z]/g, '')
}
