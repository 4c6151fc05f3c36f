import { namedBadges, withoutBadges } from './badges.ts'

/** How a documentation tool writes marks that are not text: each line is replaced, or left out when nothing is left of it. */
interface MarkRule {
  pattern: RegExp
  /** The text that stays. */
  keep: (match: RegExpExecArray) => string
}

const nothing = () => ''

/** Marks that fill a line, outside code. Repetitions are bounded, so that no line takes more than linear time. */
const LINE_MARKS: readonly MarkRule[] = [
  // Docusaurus, VitePress: `:::note Title`, `:::note[Title]`, `::: tip`, `:::`
  {
    pattern: /^\s*:{3,9}\s?(?:[\w-]{1,40})?\s?(?:\[([^\]]{0,200})\]|([^{}]{0,200}))(?:\{[^{}]*\})?\s*$/,
    keep: ([, bracketed, bare]) => bracketed ?? bare ?? '',
  },
  // Liquid and GitBook: `{% tab title="npm" %}`; Hugo: `{{< tab >}}`, `{{% note %}}`
  { pattern: /^\s*(?:\{%[^{}]*%\}\s*)+$/, keep: ([line]) => labelsOf(line) },
  { pattern: /^\s*(?:\{\{[<%][^{}]*[>%]\}\}\s*)+$/, keep: ([line]) => labelsOf(line) },
  // MDX: tags of components, `import Tabs from '@theme/Tabs'`, `export const meta = { … }` in one line
  { pattern: /^\s*(?:<\/?[A-Z][\w.]*(?:\s[^<>]*)?>\s*)+$/, keep: ([line]) => labelsOf(line) },
  { pattern: /^\s*<([A-Z][\w.]*)(?:\s[^<>]*)?>(.{1,2000})<\/\1>\s*$/, keep: ([, , inside]) => inside ?? '' },
  { pattern: /^import\s(?:[\w*${}\s,]{1,500}\sfrom\s)?\s*(?:'[^']+'|"[^"]+");?\s*$/, keep: nothing },
  { pattern: /^export\s(?:const|let|default)\s[^;]*[;}]\s*$/, keep: nothing },
  // GitHub: the first line of an alert in a quote
  { pattern: /^\s*>\s*\[!\w+\]\s*$/, keep: nothing },
  // Tables of contents, and the attributes of kramdown
  { pattern: /^\s*\[\[?_?toc_?\]?\]\s*$/i, keep: nothing },
  { pattern: /^\s*\{:[^{}]*\}\s*$/, keep: nothing },
]

/** MkDocs: `!!! note "Title"`, `??? tip`, `=== "Tab"`; the text below is indented by four columns. */
const INDENTING_MARK = /^( *)(?:(?:!!!|\?\?\?\+?) [\w -]{1,60}(?:"([^"]{0,200})")?|=== "([^"]{0,200})")\s*$/
const INDENT = 4

/** MDX: a tag over several lines begins with its name alone. Its attributes follow, one in each line, up to `>` or `/>`. */
const TAG_BEGINS = /^\s*<[A-Z][\w.]*\s*$/
const TAG_ENDS = /^\s*\/?>\s*$/
const ATTRIBUTE = /^\s*[\w-]{1,40}=(?:"[^"]*"|'[^']*'|\{[^{}]*\})\s*(\/?>)?\s*$/

const HEADING = /^ {0,3}#{1,6}\s/
const FENCE = /^[\s>]*(`{3,}|~{3,})/
const ANCHOR = /<a\s(?:name|id)=(?:"[^"<>]*"|'[^'<>]*')\s?(?:\/>|><\/a>)/g
const COMMENTS = [
  ['<!--', '-->'],
  ['{/*', '*/}'],
] as const

/**
 * Leaves out what a documentation tool adds to Markdown: comments, imports and tags of components (MDX), container marks, template
 * tags, anchors of headings, and badges beside headings or alone in their line. Titles and labels of marks stay. Code stays as it is. Time is linear in the length of the text.
 */
export function stripMarks(text: string): string {
  const kept: string[] = []
  const code = new CodeFence()
  // Columns at which the text below each MkDocs mark begins.
  const indents: number[] = []
  let isInTag = false
  for (const raw of withoutComments(text).split('\n')) {
    while (indents.length > 0 && raw.trim() !== '' && indentOf(raw) < (indents.at(-1) ?? 0)) indents.pop()
    const line = raw.slice(Math.min(indentOf(raw), indents.length * INDENT))
    if (code.contains(line) || line.trim() === '') {
      kept.push(line)
      isInTag = false
      continue
    }
    const indenting = INDENTING_MARK.exec(raw)
    if (indenting) indents.push((indenting[1]?.length ?? 0) + INDENT)
    const attribute: RegExpExecArray | null = isInTag ? ATTRIBUTE.exec(line) : null
    const isTagLine: boolean = TAG_BEGINS.test(line) || (isInTag && TAG_ENDS.test(line))
    isInTag = TAG_BEGINS.test(line) || (isInTag && !isTagLine && attribute?.[1] === undefined)
    const stripped = indenting
      ? (indenting[2] ?? indenting[3] ?? '')
      : attribute
        ? labelsOf(line)
        : isTagLine
          ? ''
          : stripLine(line)
    if (stripped.trim() !== '') kept.push(stripped)
  }
  return kept.join('\n')
}

/** Follows fenced code from line to line. */
class CodeFence {
  #fence: string | null = null

  /** Whether the next line is in fenced code or is one of its fences. */
  contains(line: string): boolean {
    const mark = FENCE.exec(line)?.[1]
    if (this.#fence === null) {
      this.#fence = mark ?? null
      return mark !== undefined
    }
    if (mark?.startsWith(this.#fence) && line.trim().endsWith(mark)) this.#fence = null
    return true
  }
}

function stripLine(line: string): string {
  for (const { pattern, keep } of LINE_MARKS) {
    const match = pattern.exec(line)
    if (match) return keep(match).trim()
  }
  return withoutStates(withoutHeadingId(line).replace(ANCHOR, ''))
}

/** A heading, or a line of nothing but badges, without them. A heading that is an image keeps its alternative text. */
function withoutStates(line: string): string {
  if (!line.includes('[![')) return line
  const words = withoutBadges(line).trim()
  if (HEADING.test(line)) return words.replace(/#/g, '').trim() === '' ? namedBadges(line) : words
  return words === '' ? '' : line
}

/** `## Title {#title}` without the id. */
function withoutHeadingId(line: string): string {
  const end = line.trimEnd()
  if (!end.startsWith('#') || !end.endsWith('}')) return line
  const at = end.lastIndexOf('{#')
  return at > 0 && /^[\w.:-]+$/.test(end.slice(at + 2, -1)) ? end.slice(0, at).trimEnd() : line
}

/** Attributes that hold text for readers, with a string or a template as their value. */
const LABEL =
  /\b(?:title|label|alt|text|caption|summary|description)\s?=\s?(?:"([^"]{0,300})"|'([^']{0,300})'|\{`([^`]{0,300})`\})/g

/** The texts of the attributes in a line of tags. */
function labelsOf(line: string): string {
  return Array.from(line.matchAll(LABEL), ([, double, single, template]) => double ?? single ?? template ?? '').join(
    ' ',
  )
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Leaves out comments that begin a line outside code; the line goes too when it is empty then. */
function withoutComments(text: string): string {
  const lastEnds = COMMENTS.map(([, close]) => text.lastIndexOf(close))
  const code = new CodeFence()
  const kept: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at) + 1 || text.length
    const start = at + indentOf(text.slice(at, end))
    const isCode = code.contains(text.slice(at, end))
    const kind = COMMENTS.findIndex(([open], index) => text.startsWith(open, start) && start < (lastEnds[index] ?? -1))
    const close = isCode ? undefined : COMMENTS[kind]?.[1]
    if (close === undefined) {
      kept.push(text.slice(at, end))
      at = end
    } else {
      at = text.indexOf(close, start) + close.length
      const lineEnd = text.indexOf('\n', at) + 1 || text.length
      if (text.slice(at, lineEnd).trim() === '') at = lineEnd
    }
  }
  return kept.join('')
}
