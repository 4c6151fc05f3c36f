import { documentKey, placeKey } from '../../core/keys.ts'
import { prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { shingleHashes } from '../../text/shingles.ts'
import { countShared } from '../../text/similarity.ts'

/** Least share of the shingles of the shorter text that two versions of one chunk have in common. */
const SAME_CHUNK = 0.5
/** In UTF-16 code units. Longer texts are compared by their beginnings. */
const LONGEST_COMPARED = 8_192

/** Place in the document with the offset of the text; null when unknown. Another offset means another chunking. */
export function placeOf({ chunk }: Candidate): string | null {
  return chunk.orderIndex === null || chunk.docId === '' ? null : `${placeKey(chunk)}${chunk.charStart}`
}

/**
 * Forgets the places of a document in which different texts stand at one place. Its index is none of the document: splitters that work page by page
 * begin anew on each page. Otherwise texts would count as copies of others, and chunks of other pages as neighbours.
 * @returns the candidates in the same order
 */
export function* withoutFalsePlaces(candidates: readonly Candidate[]): Steps<Candidate[]> {
  const first = new Map<string, Candidate>()
  const unplaced = new Set<string>()
  for (const candidate of candidates) {
    const place = placeOf(candidate)
    const document = documentKey(candidate.chunk)
    if (place === null || unplaced.has(document)) continue
    const other = first.get(place)
    if (other === undefined) first.set(place, candidate)
    else if (!(yield* isSameChunk(other.chunk.text, candidate.chunk.text))) unplaced.add(document)
  }
  if (unplaced.size === 0) return [...candidates]
  return candidates.map(candidate =>
    unplaced.has(documentKey(candidate.chunk))
      ? { ...candidate, chunk: { ...candidate.chunk, orderIndex: null } }
      : candidate,
  )
}

function* isSameChunk(one: string, other: string): Steps<boolean> {
  if (one === other) return true
  const first = yield* shingleHashes(prefixOf(one, LONGEST_COMPARED))
  const second = yield* shingleHashes(prefixOf(other, LONGEST_COMPARED))
  return countShared(first, second) >= SAME_CHUNK * Math.min(first.size, second.size)
}
