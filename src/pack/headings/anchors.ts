/** Names are bounded, so that the time is linear. */
const FORMS = [
  /\.\. _(?:[^\n:`]{1,200}|`[^\n`]{1,200}`):/,
  /\[\[[a-z0-9_.-]{1,200}\]\]/,
  /\[#[^\]\s]{1,200}\]/,
  /\([^()\s]{1,200}\)=/,
  /<a\s(?:name|id)=["'][^"'<>\n]{1,200}["']\s?(?:\/>|><\/a>)/,
]
const LINE = String.raw`[^\S\n]{0,3}(?:${FORMS.map(({ source }) => source).join('|')})[^\S\n]*`
const ANCHOR = new RegExp(`^${LINE}$`, 'u')
const ANCHORS = new RegExp(String.raw`(?:${LINE}\n(?:[^\S\n]*\n)*)*`, 'uy')

/**
 * Whether a line only gives a name to the place below it, for links: `.. _name:` of reStructuredText, `[[name]]` and `[#name]` of AsciiDoc, `(name)=` of MyST, `<a id="name"></a>`.
 * Readers of the document do not see it. A target with an address (`.. _name: https://...`) is none.
 */
export function isAnchor(line: string): boolean {
  return ANCHOR.test(line)
}

/** Offset behind the anchors that stand at an offset of a text, and the blank lines below them; the same offset when none do. */
export function behindAnchors(start: number, text: string): number {
  ANCHORS.lastIndex = start
  return start + (ANCHORS.exec(text)?.[0].length ?? 0)
}
