const NUMBER = String.raw`\d{1,3}(?:\.\d{1,3}){0,4}[.)]|\d{1,3}(?:\.\d{1,3}){1,4}|[IVX]{1,5}[.)]|[ivx]{1,5}[.)]|[a-z][.)]`
/** "3.4. Notices": at least two numbers, because "1. Notices" may be an item of a list; a few words that begin with a capital; and no sign at the end. */
const NUMBERED_TITLE = /^\s*(?:§ ?)?\d{1,3}(?:\.\d{1,3}){1,4}\.?[^\S\n]+\p{Lu}[^\n]{0,78}[^\s.!?。！？:：;,…|]\s*$/u
const SECTION_NUMBER = new RegExp(String.raw`^\s*(?:§ ?|\()?(?:${NUMBER})\s*$`, 'u')

/** Whether a text is the number of a section or a clause alone: "8.2.", "III.", "ii)", "(b)", "§ 4.". A number without a point is not one: it may be a value. */
export function isSectionNumber(text: string): boolean {
  return SECTION_NUMBER.test(text)
}

/** Whether a paragraph is the number and the name of a section, in text that does not mark headings: "3.4. Notices". */
export function isNumberedTitle(paragraph: string): boolean {
  return NUMBERED_TITLE.test(paragraph)
}
