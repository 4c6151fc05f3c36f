/** "Title > A > B", without saying the title twice where the path begins with it. Either may be empty. */
export function titledPath(title: string, path: string): string {
  if (title === '' || path === title || path.startsWith(`${title} > `)) return path
  return path === '' ? title : `${title} > ${path}`
}
