import MarkdownIt, { type Token } from 'markdown-it'
import { withoutRoles } from '../../text/names/roles.ts'
import { namedBadges, withoutBadges } from './badges.ts'

// No links are made from plain text, so `_` and `*` inside words are the only marks that a title loses.
const inlineParser = new MarkdownIt({ html: true })

/** Longer headings stay as they are: the time of the parser grows faster than their length. */
const LONGEST_PARSED = 4_000
const MARK = /[*_`[\]<&\\~!]/
/** `[text][label]` and `[text][]`, which a heading alone cannot tell from text; not `list[0][1]`. */
const REFERENCE = /(?<![\w\]])\[([^[\]\n]{1,300})\]\[[^[\]\n]{0,300}\]/g

/** The text of a heading without its inline marks, roles and badges. Images stay as their alternative texts where there is nothing else. */
export function headingTitle(raw: string): string {
  const isParsed = MARK.test(raw) && raw.length < LONGEST_PARSED
  const named = isParsed ? withoutRoles(raw) : raw
  return (isParsed ? textIn(withoutBadges(named), false) || textIn(namedBadges(named), true) : raw)
    .replace(/\s+/g, ' ')
    .trim()
}

function textIn(raw: string, hasImages: boolean): string {
  return plainText(inlineParser.parseInline(raw.replace(REFERENCE, '$1'), {}), hasImages).trim()
}

/** HTML inside a line that only lays out; `<T>` or `<your key>` is text that someone forgot to quote. */
const INLINE_HTML = /^<(?:!--|\/?(?:a|abbr|b|br|code|del|em|i|img|ins|kbd|mark|s|small|span|strong|sub|sup|u|var)\b)/i

function plainText(tokens: readonly Token[], hasImages: boolean): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === 'image' && !hasImages) return ''
      if (children !== null) return plainText(children, hasImages)
      if (type === 'softbreak' || type === 'hardbreak') return ' '
      return type === 'html_inline' && INLINE_HTML.test(content) ? '' : content
    })
    .join('')
}
