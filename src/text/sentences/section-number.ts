const NUMBER = String.raw`\d{1,3}(?:\.\d{1,3}){0,4}[.)]|\d{1,3}(?:\.\d{1,3}){1,4}|[IVX]{1,5}[.)]|[ivx]{1,5}[.)]|[a-z][.)]`
const SECTION_NUMBER = new RegExp(String.raw`^\s*(?:§ ?|\()?(?:${NUMBER})\s*$`, 'u')

/** Whether a text is the number of a section or a clause alone: "8.2.", "III.", "ii)", "(b)", "§ 4.". A number without a point is not one: it may be a value. */
export function isSectionNumber(text: string): boolean {
  return SECTION_NUMBER.test(text)
}
