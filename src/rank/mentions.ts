import { countOf } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import { prefixOf } from '../core/prefix.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate } from '../core/types.ts'
import { pageName } from '../text/names/titled-path.ts'

/** Longest start of a passage that is searched for titles, in UTF-16 code units. A usual passage has less than 3,000. */
const LONGEST_READ = 10_000
/** A title that passages of more documents name says little about one question. */
const MOST_NAMING = 4
/** What tells documents of one name apart, as in "Kiss and Tell (1945 film)". Texts leave it out. */
const DISAMBIGUATION = /\([^()]*\)$/u
const LETTER_BEFORE = /[\p{L}\p{N}]$/u
const LETTER_BEHIND = /^[\p{L}\p{N}]/u

/** The first chunk of a document, and the passages of other documents that name its title. */
interface Opening {
  candidate: Candidate
  title: string
  /** Documents of these passages. */
  namedIn: Set<string>
  /** The best of these passages. */
  best: Candidate | null
}

/**
 * Raises what good passages name. The first chunk of a document gains `share` times the value of the best passage of another document in which the title of
 * the document stands. The answer to a question in two steps is often in a passage that shares no word with the question, but is named by one that does
 * (bridge entities: Yang et al. 2018, HotpotQA). Only the first chunk gains, because it says what the document is about.
 *
 * A title is found as it is written, not inside of words, without the brackets at its end, and without the name of the site. Titles of one word count for nothing, because ordinary
 * words look like them, and so do titles that passages of more than four documents name.
 *
 * @param candidates values in any unit
 * @param share 0 or above; 0 is off
 * @returns the candidates in the same order
 */
export function* raiseMentioned(candidates: readonly Candidate[], share: number): Steps<Candidate[]> {
  const openings = share === 0 ? [] : openingsOf(candidates)
  if (openings.length === 0) return [...candidates]
  for (const candidate of candidates) {
    const document = documentKey(candidate.chunk)
    const text = prefixOf(candidate.chunk.text, LONGEST_READ)
    for (const opening of openings) {
      if (documentKey(opening.candidate.chunk) === document || !names(text, opening.title)) continue
      opening.namedIn.add(document)
      if (candidate.value > (opening.best?.value ?? 0)) opening.best = candidate
    }
    yield
  }
  const naming = new Map(
    openings.map(({ candidate, namedIn, best }) => [candidate, namedIn.size > MOST_NAMING ? null : best]),
  )
  return candidates.map(candidate => {
    const passage = naming.get(candidate) ?? null
    if (passage === null) return candidate
    const gain = share * passage.value
    return { ...candidate, value: candidate.value + gain, mention: { by: passage.chunk, gain } }
  })
}

/** The openings with a title that can be recognised. A chunk whose place is unknown is one when no other chunk of its document is a candidate. */
function openingsOf(candidates: readonly Candidate[]): Opening[] {
  const chunks = countOf(candidates.map(({ chunk }) => documentKey(chunk)))
  return candidates.flatMap((candidate): Opening[] => {
    const { docId, docTitle, sectionPath, orderIndex } = candidate.chunk
    const title = pageName(docTitle, sectionPath).trim().replace(DISAMBIGUATION, '').trim()
    const isFirst = orderIndex === 0 || (orderIndex === null && chunks.get(documentKey(candidate.chunk)) === 1)
    return isFirst && docId !== '' && hasWords(title) ? [{ candidate, title, namedIn: new Set(), best: null }] : []
  })
}

/** Whether a title has two words or more. */
function hasWords(title: string): boolean {
  return title.split(/\s+/u).filter(word => /[\p{L}\p{N}]/u.test(word)).length >= 2
}

/** Whether a title stands in a text, and not only as a part of longer words. */
function names(text: string, title: string): boolean {
  for (let at = text.indexOf(title); at >= 0; at = text.indexOf(title, at + 1)) {
    const end = at + title.length
    // Two code units hold a letter beyond the first plane.
    const before = text.slice(Math.max(0, at - 2), at)
    if (!LETTER_BEFORE.test(before) && !LETTER_BEHIND.test(text.slice(end, end + 2))) return true
  }
  return false
}
