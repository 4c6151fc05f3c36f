import { prefixOf } from '../../core/prefix.ts'

/** In UTF-16 units. A name beyond it is no name that a question could have. */
const LONGEST = 500
const EXTENSION = /\.[a-z][a-z0-9]{0,4}$/iu
const QUERY_OR_FRAGMENT = /[?#].*$/su
/** Pages that are named after their folder. */
const PAGE_OF_FOLDER = /^_?(?:index|readme|default)$/iu
/** Numbers, hashes and UUIDs. */
const OPAQUE = /^(?:\d+|[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/iu
const LETTERS = /\p{L}{2}/u
const SEPARATORS = /[-_+.\s\\/]+/gu

/**
 * The words by which an id, a path or an address names its document: `/docs/gate-regulation-316.md` is "gate regulation 316", and
 * `https://example.org/setup/index.html` is "setup". Null when it says nothing, such as a number or a UUID.
 */
export function documentNameIn(source: string): string | null {
  const path = prefixOf(source, LONGEST).replace(QUERY_OR_FRAGMENT, '')
  const [page, folder] = path
    .split(/[\\/]/u)
    .filter(part => part.trim() !== '')
    .map(part => decoded(part).replace(EXTENSION, ''))
    .reverse()
  const name = page !== undefined && folder !== undefined && PAGE_OF_FOLDER.test(page) ? folder : (page ?? '')
  if (OPAQUE.test(name) || !LETTERS.test(name)) return null
  return name.replace(SEPARATORS, ' ').trim()
}

const WORD = /[\p{L}\p{N}]+/gu
/** A word that tells documents apart: not the number of a document, but its year. */
const TELLING = /^(?!(?:doc|document|page|file|node|item|chunk|part)s?$)(?:.*\p{L}{2}.*|(?:19|20)\d\d)$/u

/**
 * The words of an id or a path beside a title, when the title lacks one of them that tells documents apart: "Agreement" of `nda-axial.pdf` has "nda axial" beside it.
 * Else null.
 */
export function documentNameBeside(title: string, source: string): string | null {
  const name = documentNameIn(source)
  if (name === null) return null
  const known = new Set(prefixOf(title, LONGEST).toLowerCase().match(WORD))
  const lacking = (name.toLowerCase().match(WORD) ?? []).filter(word => !known.has(word))
  return lacking.some(word => TELLING.test(word)) ? name : null
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
