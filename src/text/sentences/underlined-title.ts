/** A line of one sign. Text that was no Markdown has its tildes escaped. */
const RULE = /^ {0,3}\\?([-=~^"'`*+#:._])\1{2,}\s*$/
/** Signs that Markdown takes for the line below a title however short it is; others must be as long as the title. */
const SHORT_RULES = '-='

/** Whether a line is one that stands below or above a title, as Markdown and reStructuredText write headings. */
export function isTitleRule(line: string): boolean {
  return RULE.test(line)
}

/** Whether a line makes the one above it a title. */
export function isUnderlined(title: string, line: string): boolean {
  const sign = RULE.exec(line)?.[1]
  if (sign === undefined || title.trim() === '' || isTitleRule(title)) return false
  return SHORT_RULES.includes(sign) || line.trim().length >= title.trim().length
}

/** Whether a text is a title with a line below it, and perhaps the same line above it. */
export function isUnderlinedTitle(text: string): boolean {
  const lines = text.trim().split('\n', 4)
  const [title = '', line = ''] = lines.slice(-2)
  return isUnderlined(title, line) && (lines.length === 2 || (lines.length === 3 && isTitleRule(lines[0] ?? '')))
}
