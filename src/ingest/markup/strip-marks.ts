import { namedBadges, withoutBadges } from './badges.ts'
import { CodeLines } from './code-lines.ts'
import { ComponentTags, labelsOf } from './component-tags.ts'

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
  // MDX: tags around a line, `import Tabs from '@theme/Tabs'`, `export const meta = { … }` in one line
  {
    pattern: /^\s*<([A-Z][\w.]*)(\s[^<>]*)?>(.{1,2000})<\/\1>\s*$/,
    keep: ([, , attributes = '', inside = '']) => `${labelsOf(attributes)} ${inside}`,
  },
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

/** `import {`, names in lines of their own, `} from '@site/components'` */
const IMPORT_OF_NAMES =
  /import\s(?:[\w$]{1,80},\s?)?\{[\w$\s,]{0,2000}\}\s?from\s(?:'[^'\n]{1,300}'|"[^"\n]{1,300}");?[ \t]*(?=\n|$)/y

/** `export default function Page() {`, lines that are blank, indented or begin with a closing bracket, `}` */
const EXPORT_OF_CODE =
  /export\s(?:default|const|let|var|function|async|class)\s[^\n]{0,500}[{([=>][ \t]{0,20}\n(?:(?:[ \t})\]][^\n]*)?\n)*?[})\]]{1,9};?[ \t]*(?=\n|$)/y

const HEADING = /^ {0,3}#{1,6}\s/
const ANCHOR = /<a\s(?:name|id)=(?:"[^"<>]*"|'[^'<>]*')\s?(?:\/>|><\/a>)/g
/**
 * Code in HTML, as generators of tables write it: `<code class="nowrap">--url</code>`, or code in backticks, which may show such tags and stays. With an escape or a mark of Markdown in it, the code
 * would say something else in backticks.
 */
const HTML_CODE = /(?<!`)(`{1,9})[^`\n]{1,500}\1(?!`)|<code(?:\s[^<>]{0,200})?>([^<>&`|\n]{1,200})<\/code>/g
const COMMENTS = [
  ['<!--', '-->'],
  ['{/*', '*/}'],
] as const

/**
 * Leaves out what a documentation tool adds to Markdown: comments, imports, exports and tags of components (MDX), container marks, template
 * tags, anchors of headings, and badges beside headings or alone in their line; code in HTML tags stands in backticks. Titles and labels of marks stay. Code stays as it is.
 * Time is linear in the length of the text.
 */
export function stripMarks(text: string): string {
  const kept: string[] = []
  const code = new CodeLines()
  const tags = new ComponentTags(text)
  const commentAt = commentFinder(text)
  // Columns at which the text below each MkDocs mark begins.
  const indents: number[] = []
  for (let at = 0, end = 0; at <= text.length; at = end + 1) {
    end = lineEnd(text, at)
    const raw = text.slice(at, end)
    const comment = commentAt(at + indentOf(raw))
    const program = programEnd(text, at)
    if (comment === null && raw.trim() !== '') while (indentOf(raw) < (indents.at(-1) ?? 0)) indents.pop()
    const line = raw.slice(Math.min(indentOf(raw), indents.length * INDENT))
    if (code.contains(line, { indents: !tags.isInside }) || line.trim() === '') {
      kept.push(line)
      tags.interrupt()
    } else if (comment !== null) {
      const after = text.indexOf(comment.close, at) + comment.close.length
      end = lineEnd(text, after)
      // What follows the comment is a line of its own.
      if (text.slice(after, end).trim() !== '') end = after - 1
    } else if (program !== null) {
      end = program
    } else {
      const indenting = INDENTING_MARK.exec(raw)
      if (indenting) indents.push((indenting[1]?.length ?? 0) + INDENT)
      const stripped = indenting ? (indenting[2] ?? indenting[3] ?? '') : (tags.labelsIn(line) ?? stripLine(line))
      if (stripped.trim() !== '') kept.push(stripped)
    }
  }
  return kept.join('\n')
}

/** The end of an import or export over several lines that begins at a place of the text; null without one. */
function programEnd(text: string, at: number): number | null {
  for (const pattern of [IMPORT_OF_NAMES, EXPORT_OF_CODE]) {
    pattern.lastIndex = at
    if (pattern.test(text)) return pattern.lastIndex
  }
  return null
}

function stripLine(line: string): string {
  for (const { pattern, keep } of LINE_MARKS) {
    const match = pattern.exec(line)
    if (match) return keep(match).trim()
  }
  return withoutStates(codeInBackticks(withoutHeadingId(line).replace(ANCHOR, '')))
}

const codeInBackticks = (line: string): string =>
  line.replace(HTML_CODE, (whole: string, _ticks, code?: string) => (code === undefined ? whole : `\`${code}\``))

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

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Finds the marks of a comment that begins at a place of the text; null when none begins or it is never closed. */
function commentFinder(text: string): (start: number) => { close: string } | null {
  const kinds = COMMENTS.map(([open, close]) => ({ open, close, lastEnd: text.lastIndexOf(close) }))
  return start => kinds.find(({ open, lastEnd }) => start < lastEnd && text.startsWith(open, start)) ?? null
}
