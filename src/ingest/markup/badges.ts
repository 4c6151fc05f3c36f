/** `(address)`, `(address "title")` or `[label]` */
const TARGET = String.raw`(?:\([^)\s]{0,2000}(?:\s"[^"\n]{0,300}")?\)|\[[^\]\n]{0,300}\])`
/** An image that is a link. Group: its alternative text. Repetitions are bounded, so that no text takes more than linear time. */
const BADGE = new RegExp(String.raw`\[!\[([^\]\n]{0,300})\]${TARGET}\]${TARGET}`, 'g')

/** Leaves out images that are links: they show the state of a build or the newest version, and say nothing to a reader of text. */
export function withoutBadges(text: string): string {
  return text.replace(BADGE, '')
}

/** The same with the alternative texts of the images in their places. */
export function namedBadges(text: string): string {
  return text.replace(BADGE, '$1')
}
