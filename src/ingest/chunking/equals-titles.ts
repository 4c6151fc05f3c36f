import type { TitleLines } from './numbered-titles.ts'

/** A heading of AsciiDoc (`== Gates`), or of MediaWiki and DokuWiki (`== Gates ==`): signs, name, and perhaps signs. */
const TITLE = /^(={1,6})[ \t]+([\p{L}\p{N}"'`*_“„«¿¡([].*)$/u
const CLOSING = /[ \t]+={1,6}$/u
/** An anchor of AsciiDoc. In a wiki it is a link. */
const ANCHOR = /[ \t]*\[\[[^[\]]*\]\]/gu
/** Italics and bold text of a wiki. */
const BOLD = /'{2,5}/gu
/** What may stand directly above one: nothing, or the anchor or the attributes of AsciiDoc. */
const ABOVE = /^(?:\[.*\])?$/u
const FEWEST = 2
const LONGEST = 120

/**
 * The titles of a text that marks them with signs of equality, by their lines; none where there are less than two below the first level. In DokuWiki most signs are the highest level: its first
 * heading has more signs than others.
 */
export function equalsTitles(text: string): TitleLines {
  const lines = text.split(/\r\n|\r|\n/).map(line => line.trimEnd())
  const found = lines.flatMap((line, at) => {
    const [, signs = '', rest = ''] = TITLE.exec(line) ?? []
    if (signs === '' || line.length > LONGEST) return []
    const isClosed = CLOSING.test(rest)
    // Text stands right above a heading of a wiki at most.
    if (!isClosed && !ABOVE.test(lines[at - 1] ?? '')) return []
    const name = isClosed ? rest.replace(CLOSING, '').replace(BOLD, '') : rest.replace(ANCHOR, '')
    return [{ line: at, level: signs.length, name, isClosed }]
  })
  if (found.filter(({ level }) => level > 1).length < FEWEST) return new Map()
  const first = found[0]?.level ?? 0
  const isUpsideDown =
    found.every(({ level, isClosed }) => isClosed && level <= first) && found.some(({ level }) => level < first)
  const depthOf = (level: number) => (isUpsideDown ? first - level + 1 : level)
  return new Map(found.map(({ line, level, name }) => [line, { depth: depthOf(level), lines: 1, name }]))
}
