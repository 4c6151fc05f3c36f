/** Between the name of a page and that of its site in titles of web pages. */
const BETWEEN_NAMES = /^ [-–—|·•»:] $/u
const WIDTH = 3

/**
 * "Title > A > B". The title is left out when the path begins with it. The first heading is left out when it is the name of the page in the title: "Setup" and
 * "Setup — Guide 2.1" give "Setup — Guide 2.1 > Keys". Both may be empty.
 */
export function titledPath(title: string, path: string): string {
  if (title === '' || path === title || path.startsWith(`${title} > `)) return path
  const name = pageName(title, path)
  const rest = name === title ? path : path.slice(`${name} > `.length)
  return rest === '' ? title : `${title} > ${rest}`
}

/** The title without the name of the site, before or behind it, when the rest is the first heading of the path; else the whole title. */
export function pageName(title: string, path: string): string {
  const [heading = ''] = path.split(' > ', 1)
  const { length } = heading
  const [before, behind] = [title.slice(-length - WIDTH, -length), title.slice(length, length + WIDTH)]
  const isFirst = title.startsWith(heading) && BETWEEN_NAMES.test(behind)
  const isLast = title.endsWith(heading) && BETWEEN_NAMES.test(before)
  return length > 0 && (isFirst || isLast) ? heading : title
}
