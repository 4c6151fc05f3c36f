/** "Title > A > B". The title is left out when the path begins with it. Both may be empty. */
export function titledPath(title: string, path: string): string {
  if (title === '' || path === title || path.startsWith(`${title} > `)) return path
  return path === '' ? title : `${title} > ${path}`
}
