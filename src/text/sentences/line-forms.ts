/** The beginning of an item of a list, with its white space as the first group. */
export const LIST_ITEM = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s/u

/** A line of bold text alone: a caption, the name of a file above its code, or a heading by hand. */
const BOLD_LINE = /^\s*(\*\*|__)(?:(?!\1)[^\n]){1,200}\1\s*$/

/** Whether a text is one line of bold text and nothing else. */
export function isBoldLine(text: string): boolean {
  return BOLD_LINE.test(text)
}

/** The sign behind a number. In Markdown that is made from HTML it has a backslash, so that the number is text and no item of a list. */
const SIGN = String.raw`\\?[.)]`
const NUMBER = String.raw`\d{1,3}(?:\.\d{1,3}){0,4}${SIGN}|\d{1,3}(?:\.\d{1,3}){1,4}|[IVX]{1,5}${SIGN}|[ivx]{1,5}${SIGN}|[a-z]${SIGN}`
/** "3.4. Notices": at least two numbers, because "1. Notices" may be an item of a list; a few words that begin with a capital; and no sign at the end. */
const NUMBERED_TITLE = /^\s*(?:§ ?)?\d{1,3}(?:\.\d{1,3}){1,4}\.?[^\S\n]+\p{Lu}[^\n]{0,78}[^\s.!?。！？:：;,…|]\s*$/u
const SECTION_NUMBER = new RegExp(String.raw`^[\s>]*(?:§ ?|\\?\()?(?:${NUMBER})\s*$`, 'u')

/** Whether a text is the number of a section or a clause alone, also in a quotation: "8.2.", "III.", "ii)", "(b)", "§ 4.", "> 3\.". A number without a point is not one: it may be a value. */
export function isSectionNumber(text: string): boolean {
  return SECTION_NUMBER.test(text)
}

/** Whether a paragraph is the number and the name of a section, in text that does not mark headings: "3.4. Notices". */
export function isNumberedTitle(paragraph: string): boolean {
  return NUMBERED_TITLE.test(paragraph)
}

/** A line of one sign. Text that was no Markdown has its tildes escaped. */
const RULE = /^ {0,3}\\?([-=~^"'`*+#:._])\1{2,}\s*$/
/** Signs that Markdown takes for the line below a title however short it is; others must be as long as the title. */
const SHORT_RULES = '-='

/** Whether a line is one that stands below or above a title, as Markdown and reStructuredText write headings. */
export function isTitleRule(line: string): boolean {
  return RULE.test(line)
}

/** The number of a title, with the space behind it. */
const LEADING_NUMBER = /^\s*[\d.]+[).]?\s+/u
const WIDE_GAP = /\S\s{3,}\S/u

/** Whether a line is a row of a table in plain text: at least three columns with gaps of two or more spaces, one of them wider. */
export function hasColumns(line: string): boolean {
  const rest = line.replace(LEADING_NUMBER, '')
  return WIDE_GAP.test(rest) && rest.trim().split(/\s{2,}/u).length >= 3
}

/** Whether a line makes the one above it a title. */
export function isUnderlined(title: string, line: string): boolean {
  const sign = RULE.exec(line)?.[1]
  if (sign === undefined || title.trim() === '' || isTitleRule(title) || hasColumns(title)) return false
  return SHORT_RULES.includes(sign) || line.trim().length >= title.trim().length
}

/** Whether a text is a title with a line below it, and perhaps the same line above it. */
export function isUnderlinedTitle(text: string): boolean {
  const lines = text.trim().split('\n', 4)
  const [title = '', line = ''] = lines.slice(-2)
  return isUnderlined(title, line) && (lines.length === 2 || (lines.length === 3 && isTitleRule(lines[0] ?? '')))
}
