import { wordSet } from '../../core/collections.ts'
import { prefixOf } from '../../core/prefix.ts'
import { percentDecoded } from '../percent-decoded.ts'

/** In UTF-16 units. A name beyond it is no name that a question could have. */
const LONGEST = 500
const EXTENSION = /\.[a-z][a-z0-9]{0,4}$/iu
const QUERY_OR_FRAGMENT = /[?#].*$/su
/** The host says nothing where a path follows. */
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*\/(?=.*\p{L}))?/iu
/** Pages that are named after their folder. */
const PAGE_OF_FOLDER = /^_?(?:index|readme|default)$/iu
/** Titles that documents of any product have. */
const GENERAL =
  /^_?(?:index|readme|default|change(?:s|[-_ ]?logs?)|(?:(?:release|version|revision)[-_ ]?)?history|news|releases?(?:[-_ ]?notes)?|faqs?|frequently asked questions|licen[cs]e|copying|contributing)(?:\.[a-z]{2,4})?$/iu
/** Folders that say where files lie, and not what they are about. */
const WHERE_FILES_LIE = wordSet(`
  assets blob content contents data doc docs documentation documents download downloads en file files home html latest main master mnt
  opt packages page pages public raw share source sources src srv stable static tmp tree upload uploads user users usr var versioned_docs wiki www`)
/** More of them would take the place of text. Those of a version count beside them. */
const MOST_FOLDERS = 2
/** Numbers, hashes and UUIDs. */
const OPAQUE = /^(?:\d+|[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/iu
const YEAR = /^(?:19|20)\d\d$/u
/** "v2", "2.0", "1.4.x", "version-2" and "release_2.1". */
const VERSION = /^(?:(?:v|version|rel|release)[-_ .]?(?=\d)|(?=\d+\.))(\d{1,4}(?:\.(?:\d{1,6}|x))*)$/iu
const LETTERS = /\p{L}{2}/u
/** A full stop between digits is that of a version. */
const SEPARATORS = /(?:[-_+\s\\/]|(?<!\d)\.|\.(?!\d))+/gu
const WORD = /\d+(?:\.\d+)+|[\p{L}\p{N}]+/gu
/** A number in a title, of which some are versions and years. */
const NUMBER = /(?<![\p{L}\p{N}.])v?(\d+(?:\.(?:\d+|x))*)/gu
/** A word that tells documents apart: not the number of a document, but its year. */
const TELLING = /^(?!(?:doc|document|page|file|node|item|chunk|part)s?$)(?:.*\p{L}{2}.*|(?:19|20)\d\d|\d+(?:\.\d+)+)$/u

export interface DocumentNames {
  docTitle: string
  pageName?: string | undefined
  docName?: string | undefined
}

/** The title, or what stands for it: the name of the file. '' when there is neither. */
export function titleOf({ docTitle, pageName = '' }: Pick<DocumentNames, 'docTitle' | 'pageName'>): string {
  return docTitle || pageName
}

/** Documents with one title have one key, however they write it. '' for documents with neither a title nor the name of a file. */
export function titleKey(names: Pick<DocumentNames, 'docTitle' | 'pageName'>): string {
  return titleOf(names).toLowerCase()
}

/** Whether a title is that of a file which any product has, such as "README" and "Changelog": it says nothing without its folder. */
export function isGeneralTitle(title: string): boolean {
  return title.length <= LONGEST && GENERAL.test(title)
}

/**
 * What an id, a path or an address says of a document: the name of its file where it has no title, and what there is beside this or the title.
 *
 * @returns no fields when it says nothing
 */
export function namesInPath(title: string, source: string): Omit<DocumentNames, 'docTitle'> {
  const page = title === '' ? pageInPath(source) : null
  const name = nameInPath(page ?? title, source)
  return { ...(page === null ? {} : { pageName: page }), ...(name === null ? {} : { docName: name }) }
}

/** The name of the file, or of the folder that it stands for. A version is none. */
function pageInPath(source: string): string | null {
  const [page = '', ...folders] = partsOf(source)
  const telling = folders.filter(folder => !WHERE_FILES_LIE.has(folder.toLowerCase()))
  const parts = isNamed(page, folders) ? [page, ...telling] : telling
  const part = parts.find(part => timeOf(part) === null && wordsOfPart(part) !== null)
  return part === undefined ? null : wordsOfPart(part)
}

/**
 * What an id, a path or an address says of a document beside its title, in words: the name of its file, of its two nearest folders, and of a folder that is a
 * version or a year, each when the title lacks one of its words that tells documents apart. "Agreement" of `nda-axial.pdf` has "nda axial" beside it, and "Setup" of
 * `docs/photon/v2/setup.md` has "photon version 2, v2".
 *
 * @param title or what stands for it; '' when the document has neither
 * @returns null when it says nothing more, such as a number or a UUID
 */
function nameInPath(title: string, source: string): string | null {
  const [page = '', ...folders] = partsOf(source)
  const start = prefixOf(title, LONGEST).toLowerCase()
  const known = new Set(start.match(WORD))
  const times = new Set(Array.from(start.matchAll(NUMBER), ({ 1: number = '' }) => number))
  const found: string[] = []
  /** Takes the words of a part when one of them is new and tells documents apart. */
  const take = (part: string, tells: (word: string) => boolean): boolean => {
    const words = wordsOfPart(part)
    const own = words?.toLowerCase().match(WORD) ?? []
    if (words === null || !own.some(word => !known.has(word) && tells(word))) return false
    for (const word of own) known.add(word)
    found.unshift(words)
    return true
  }
  /** Takes a version or a year that is new. @returns whether the part is one */
  const takeTime = (part: string): boolean => {
    const time = timeOf(part)
    if (time !== null && !times.has(time.number)) found.unshift(time.words)
    if (time !== null) times.add(time.number)
    return time !== null
  }
  const isTelling = (word: string) => TELLING.test(word)

  if (isNamed(page, folders) && !takeTime(page)) take(page, isTelling)
  let taken = 0
  for (const folder of folders) {
    if (takeTime(folder) || taken === MOST_FOLDERS || WHERE_FILES_LIE.has(folder.toLowerCase())) continue
    if (take(folder, isTelling)) taken += 1
  }
  return found.length === 0 ? null : found.join(' ')
}

const isNamed = (page: string, folders: readonly string[]) => folders.length === 0 || !PAGE_OF_FOLDER.test(page)

/** The parts of a path without the extension of its file, the last one first. */
function partsOf(source: string): string[] {
  const path = prefixOf(source, LONGEST).replace(QUERY_OR_FRAGMENT, '').replace(SCHEME_AND_HOST, '')
  const [page = '', ...folders] = path
    .split(/[\\/]/u)
    .filter(part => part.trim() !== '')
    .map(percentDecoded)
    .reverse()
  return [page.replace(EXTENSION, ''), ...folders]
}

/** The words of the name of a file or folder; null when it has none that a reader would know it by. */
function wordsOfPart(part: string): string | null {
  if (OPAQUE.test(part) || !LETTERS.test(part)) return null
  return part.replace(SEPARATORS, ' ').trim()
}

/** The version or the year that a file or folder is named after; null for other names. Questions spell a version in both ways. */
function timeOf(part: string): { number: string; words: string } | null {
  if (YEAR.test(part)) return { number: part, words: part }
  const number = VERSION.exec(part)?.[1]?.toLowerCase()
  return number === undefined ? null : { number, words: `version ${number}, v${number}` }
}
