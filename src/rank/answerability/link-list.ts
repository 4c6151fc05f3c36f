const HEADING = /^ {0,3}#{1,6}\s/u
/** An item of a list that begins with a link: `* [volume ls](volume_ls.md) - List volumes`. */
const LINKED_ITEM = /^\s*[-*+]\s+\[[^\]\n]{1,200}\]\([^()\s]{1,300}\)(.*)$/u
/** Longer text behind a link says something itself. In UTF-16 code units. */
const LONGEST_REMARK = 80

/** Whether a passage in Markdown is nothing but a list of links, perhaps below headings: it names what a question asks for, and says nothing about it. */
export function isLinkList(text: string): boolean {
  const lines = text.split('\n').filter(line => line.trim() !== '' && !HEADING.test(line))
  return lines.length > 0 && lines.every(isLinkedItem)
}

function isLinkedItem(line: string): boolean {
  const remark = LINKED_ITEM.exec(line)?.[1]
  return remark !== undefined && remark.trim().length <= LONGEST_REMARK
}
