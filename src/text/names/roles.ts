/** ":class:`.Session`" and ":ref:`text <target>`" of reStructuredText. Groups: the text. */
const ROLE = /(?<![\w:`])(?::[a-z][\w.+-]{0,30}){1,2}:`[~!]?([^`<\n]{1,200})(?:<[^`\n]{1,200})?`/giu
/** "`text <target>`_". Groups: the text. */
const TARGET = /(?<!`)`([^`<\n]{1,200})<[^`\n]{1,200}>`_{1,2}/gu

/** A text of reStructuredText in which roles and links with targets are what a reader sees of them, in backticks. */
export function withoutRoles(text: string): string {
  return text.includes('`') ? text.replace(ROLE, '`$1`').replace(TARGET, '`$1`') : text
}
