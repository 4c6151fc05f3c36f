/** Between the name of a page and that of its site in titles of web pages. */
const TITLE_PARTS = / [-–—|·•»:] /u

/**
 * "Title > A > B". The title is left out when the path begins with it. The first heading is left out when it is the name of the page in the title: "Setup" and
 * "Setup — Guide 2.1" give "Setup — Guide 2.1 > Keys". Both may be empty.
 */
export function titledPath(title: string, path: string): string {
  if (title === '' || isFirstOf(path, title)) return path
  const name = pageName(title, path)
  const rest = name === title ? path : path.slice(`${name} > `.length)
  return rest === '' ? title : `${title} > ${rest}`
}

/** The part of a title that is the first heading of the path, without the name of the site; the whole title when none is. */
export function pageName(title: string, path: string): string {
  return title.split(TITLE_PARTS).find(part => isFirstOf(path, part)) ?? title
}

/** Whether the first heading of a path is this one. */
function isFirstOf(path: string, heading: string): boolean {
  return heading !== '' && (path === heading || path.startsWith(`${heading} > `))
}
