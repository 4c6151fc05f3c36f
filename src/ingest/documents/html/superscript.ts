import type { HtmlElement } from './element.ts'

/** Numbers, and the letters that stand for one. Other letters are those of an ordinal or of a mark: 1st, 2e, TM. */
const EXPONENT = /^[-+−–]?(?:\d[\d.,]*|[ijkmnpxyz](?:[-+−–]\d+)?)$/
const NOTE = /^(?:\d+|\p{Ll}|[*†‡§]+)$/u

/** Text above the line. Without a sign, 2 to the power of 32 would be 232, and the mark of a note would be the last digit of a number. */
export function writeSuperscript(content: string, node: HtmlElement): string {
  const text = (node.textContent ?? '').trim()
  if (leadsToNote(node)) return NOTE.test(text) ? `[${text}]` : content
  return EXPONENT.test(text) ? `^${text}` : content
}

/** Whether it is, or stands in, a link within the page. */
function leadsToNote(node: HtmlElement): boolean {
  const link = node.querySelector('a') ?? (node.parentNode?.nodeName === 'A' ? node.parentNode : null)
  return link?.getAttribute('href')?.startsWith('#') ?? false
}
