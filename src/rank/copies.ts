import { documentKey } from '../core/keys.ts'
import type { Candidate, Chunk, Dropped, FilterResult } from '../core/types.ts'
import { isNewer, namesTimeOf } from '../text/names/newer.ts'
import { byValue } from './order.ts'

/** Least share of the value of the best copy that another one needs to stand in its place. */
const NEARLY_AS_GOOD = 0.98

/**
 * Chooses which copy of a text stays: of those that are worth nearly as much as the best one, the copy whose document has the largest sum of
 * values. So the chunks of a document that is there twice come from one of them, and its neighbours are found. Of a document in several versions or years, the copy in the one that the
 * question names stays, else the newest. It stands where the best copy stood, because the text is the same.
 *
 * @param result of dropping copies; the best one of each text was kept
 * @param copies by the key of the kept candidate: those that contain its text as well
 */
export function gatherInDocuments(
  { kept, dropped }: FilterResult,
  copies: ReadonlyMap<string, readonly Candidate[]>,
  question: string,
): FilterResult {
  if (copies.size === 0) return { kept, dropped }
  const sums = new Map<string, number>()
  for (const { chunk, value } of [...kept, ...dropped.map(({ candidate }) => candidate)]) {
    const document = documentKey(chunk)
    sums.set(document, (sums.get(document) ?? 0) + value)
  }
  const sumOf = ({ chunk }: Candidate) => sums.get(documentKey(chunk)) ?? 0
  const chosen = new Map<string, Candidate>()
  const replaced = new Map<string, Candidate>()
  for (const best of kept) {
    const all = copies.get(best.key) ?? []
    const same = all.filter(({ value }) => value >= NEARLY_AS_GOOD * best.value)
    const gathered = same.reduce((first, one) => (sumOf(one) > sumOf(first) ? one : first), best)
    const copy = wantedVersion(gathered, [best, ...all], question)
    if (copy === best) continue
    chosen.set(best.key, copy.value < NEARLY_AS_GOOD * best.value ? { ...copy, value: best.value } : copy)
    replaced.set(copy.key, best)
  }
  return {
    kept: kept.map(best => chosen.get(best.key) ?? best).sort(byValue),
    dropped: dropped.map(({ candidate, reason, evidence }) => ({
      candidate: replaced.get(candidate.key) ?? candidate,
      reason,
      evidence: inPlaceOf(evidence, chosen),
    })),
  }
}

/** Of the document of a candidate, the version that the question names, else the newest one that has the same text, whatever it is worth. */
function wantedVersion(candidate: Candidate, copies: readonly Candidate[], question: string): Candidate {
  const versions = [candidate, ...copies.filter(({ chunk }) => isOtherVersion(chunk, candidate.chunk))]
  if (versions.length === 1) return candidate
  const named = versions.filter(({ chunk }) => namesTimeOf(question, chunk))
  const wanted = named.length > 0 ? named : versions
  return wanted.reduce((newest, copy) => (isNewer(copy.chunk, newest.chunk) ? copy : newest))
}

const isOtherVersion = (one: Chunk, other: Chunk): boolean => isNewer(one, other) || isNewer(other, one)

/** Evidence that names the copy that was kept. It stands at another place, so a detail about the place of the first one says nothing of it. */
function inPlaceOf(evidence: Dropped['evidence'], chosen: ReadonlyMap<string, Candidate>): Dropped['evidence'] {
  const copy = evidence.of === undefined ? undefined : chosen.get(evidence.of)
  if (copy === undefined) return evidence
  const { detail: _, ...rest } = evidence
  return { ...rest, of: copy.key }
}
