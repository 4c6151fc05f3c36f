import { headingTitle } from './heading-title.ts'

/** The title block of Pandoc: a title, then authors and a date, each behind `%`. Further lines of a field are indented. */
const TITLE_BLOCK = /^%[ \t]+(\S[^\n]*)\n(?:%[^\n]*\n|[ \t]+\S[^\n]*\n){0,20}/
/** The name of a manual page, its section, and what stands in the head and foot lines of the printed page. */
const MANUAL_PAGE = /^([^\s()]+)[ \t]*(?:\((\d\w{0,3})\)|[ \t](\d\w{0,3})(?=[ \t]|$)).*$/

/**
 * The title block that Markdown begins with, as Pandoc and go-md2man read it (https://pandoc.org/MANUAL.html#extension-pandoc_title_block). The title of a manual page, `podman-commit 1` or `PANDOC(1) User Manuals`, becomes `podman-commit(1)`.
 * @returns its title, null without one, and the length of the block in UTF-16 code units
 */
export function readTitleBlock(text: string): { title: string | null; length: number } {
  const [block = '', first = ''] = TITLE_BLOCK.exec(text) ?? []
  const [, page, inBrackets, bare] = MANUAL_PAGE.exec(first) ?? []
  const title = page === undefined ? headingTitle(first) : `${page}(${inBrackets ?? bare})`
  return { title: title || null, length: block.length }
}
