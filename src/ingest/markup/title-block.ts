import { headingTitle } from './heading-title.ts'

/**
 * The title block of Pandoc: a title, then authors and a date, each behind `%`, and a blank line. Further lines of a field are indented. More lines with
 * `%` are comments, and text right below is a paragraph that begins with the sign.
 */
const TITLE_BLOCK =
  /^%[ \t]+(\S[^\n]*(?:\n[ \t]+\S[^\n]*){0,3})\n(?:%[^\n]*\n(?:[ \t]+\S[^\n]*\n){0,20}){0,2}(?=[ \t]*(?:\n|$))/
/** The name of a manual page, its section, and what stands in the head and foot lines of the printed page. `Chapter 1` and `python 3 for pilots` are none. */
const MANUAL_PAGE =
  /^(?:([^\s()]+)\(([1-9][a-z]{0,3})\)(?:\s|$)|(?!\p{Lu}\p{Ll})([^\s()]+)\s+([1-9][a-z]{0,3})\s*(?:["'“].*)?$)/su

/**
 * The title block that Markdown begins with, as Pandoc and go-md2man read it (https://pandoc.org/MANUAL.html#extension-pandoc_title_block). The title of a manual page, `podman-commit 1` or `PANDOC(1) User Manuals`, becomes `podman-commit(1)`.
 * @returns its title, null without one, and the length of the block in UTF-16 code units
 */
export function readTitleBlock(text: string): { title: string | null; length: number } {
  const [block = '', first = ''] = TITLE_BLOCK.exec(text) ?? []
  const [, page, section, barePage, bareSection] = MANUAL_PAGE.exec(first) ?? []
  const name = page ?? barePage
  const title = name === undefined ? headingTitle(first) : `${name}(${section ?? bareSection})`
  return { title: title || null, length: block.length }
}
