/** Between the name of a page and that of its site in titles of web pages. */
const BEHIND_NAME = /^(?: [-–—|·•»:]|:) /u
const BEFORE_NAME = /(?: [-–—|·•»:]|:) $/u
const WIDTH = 3
const SEPARATOR = ' > '
const NO_WORD = /[^\p{L}\p{N}.]+/gu
/** "4. Setup", "4.1 Setup" and "A. Setup", as generators number headings or titles, but not always both. */
const NUMBER = /^(?:\d{1,4}|[A-Z](?=\.))(?:\.\d{1,4}){0,9}\.?\s(?=\S)/u

/** Typographic forms of quotation marks and apostrophes, which a generator writes in headings but not in titles. */
const SINGLE = /[\u2018\u2019\u02BC]/gu
const DOUBLE = /[\u201C\u201D]/gu

/**
 * "Title > A > B". The name of the page stands in it once: a title that is the first heading of the path, with or without the number of a section, is left out,
 * and so is the first heading when the title has the name of a site too: "Setup" and "Setup — Guide 2.1" give "Setup — Guide 2.1 > Keys". A heading above it that is a part of the title,
 * such as the name of the site, is left out with it. Typographic and plain quotation marks and apostrophes are the same here. Both may be empty.
 */
export function titledPath(title: string, whole: string): string {
  if (title === '' || plain(`${whole} > `).startsWith(plain(`${title} > `))) return whole
  const path = withoutSite(title, whole)
  const heading = firstOf(path)
  const name = nameIn(title, heading)
  if (name === null) return path === '' ? title : `${title} > ${path}`
  const rest = path.slice(heading.length)
  return plain(name) === plain(title) ? path : `${title}${rest}`
}

/**
 * "Title (name) > A > B": `titledPath` with what the path of the document says beside its title (`nameInPath`), which stands for the title where there is none.
 * @param name absent when the path says nothing more
 */
export function namedPath(title: string, name: string | undefined, path: string): string {
  if (name === undefined || title === '') return titledPath(title || (name ?? ''), path)
  const whole = titledPath(title, path)
  const first = whole.startsWith(title) ? title : firstOf(whole)
  return `${first} (${name})${whole.slice(first.length)}`
}

/** The title without the name of the site, before or behind it, and without a number, when the rest is the first heading of the path, or the one below the name of the site; else the whole title. */
export function pageName(title: string, path: string): string {
  return nameIn(title, firstOf(withoutSite(title, path))) ?? title
}

/** What stands before and behind the name of the page in a title that has the name of its site, too; null for other titles. */
export function siteOf(title: string, path: string): { before: string; after: string } | null {
  const name = pageName(title, path)
  const at = plain(title).indexOf(plain(name))
  const [before, after] = [title.slice(0, at), title.slice(at + name.length)]
  const isSite = (before === '' || BEFORE_NAME.test(before)) && (after === '' || BEHIND_NAME.test(after))
  return at >= 0 && isSite && name.length < title.length ? { before, after } : null
}

/** As long as the text. */
const plain = (text: string): string => text.replace(SINGLE, "'").replace(DOUBLE, '"')

const firstOf = (path: string): string => path.split(SEPARATOR, 1)[0] ?? ''

/** "Setup > Keys" of "Guide > Setup > Keys" when the title is "Guide (2.1) — Setup": it says both. */
function withoutSite(title: string, path: string): string {
  const site = firstOf(path)
  const rest = path.slice(site.length + SEPARATOR.length)
  return rest !== '' && nameIn(title, site) === null && nameIn(title, firstOf(rest)) !== null && contains(title, site)
    ? rest
    : path
}

/** Whether a text has another one as whole words. */
function contains(text: string, part: string): boolean {
  const padded = ` ${plain(text).replace(NO_WORD, ' ')} `
  return padded.includes(` ${plain(part).replace(NO_WORD, ' ').trim()} `)
}

/** The name that a title and a heading share. A number may be missing in one of them, but numbers that differ make different names. */
function nameIn(title: string, heading: string): string | null {
  const [bareTitle, bareHeading] = [title.replace(NUMBER, ''), heading.replace(NUMBER, '')]
  if (has(title, heading)) return heading
  if (has(title, bareHeading)) return bareHeading
  return has(bareTitle, heading) ? heading : null
}

/** Whether a title is a name, or a name with that of a site. */
function has(shownTitle: string, shownName: string): boolean {
  const [title, name] = [plain(shownTitle), plain(shownName)]
  const { length } = name
  if (length === 0 || title === name) return length > 0
  const isFirst = title.startsWith(name) && BEHIND_NAME.test(title.slice(length, length + WIDTH))
  return isFirst || (title.endsWith(name) && BEFORE_NAME.test(title.slice(-length - WIDTH, -length)))
}
