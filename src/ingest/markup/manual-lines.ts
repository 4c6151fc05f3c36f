/** The first line of a printed page of a manual: `LS(1)  User Commands  LS(1)`. A long name leaves no room around what stands between. */
const HEAD = /^([^\s()]{1,80}\(\w{1,12}\)).{1,120}\1$/u
/** The last line of a page in the macros of BSD, which has the system at both ends: `BSD  May 1, 2023  BSD`. */
const FOOT_OF_BSD = /^(\S{1,40}) {2}.{1,120} {2}\1$/u
/** Titles of sections have no small letters. */
const TITLE = /^[^\s\p{Ll}][^\p{Ll}]*$/u

/**
 * The text of a page of a manual without the lines at its head and foot that have the name of the page at the right: they are the same for all
 * chunks, and say nothing that the title and the path of a document do not. Other text stays as it is.
 */
export function withoutManualLines(text: string): string {
  const lines = text.split('\n')
  const [first = 0, second = 0] = lines.flatMap((line, at) => (isBlank(line) ? [] : [at])).slice(0, 2)
  const name = HEAD.exec(lines[first]?.trimEnd() ?? '')?.[1]
  if (name === undefined || second < first + 2 || !TITLE.test(lines[second] ?? '')) return text
  const last = lines.findLastIndex(line => !isBlank(line))
  const foot = lines[last]?.trimEnd() ?? ''
  // A sentence that ends with the name has one space before it.
  const hasFoot = isBlank(lines[last - 1] ?? '') && (foot.endsWith(`  ${name}`) || FOOT_OF_BSD.test(foot))
  return lines.slice(second, hasFoot ? last : lines.length).join('\n')
}

const isBlank = (line: string): boolean => line.trim() === ''
