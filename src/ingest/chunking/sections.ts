import type { Heading, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { FRONT_MATTER } from '../front-matter.ts'

/** A stretch of the document, UTF-16 code units, end exclusive. */
export interface Span {
  start: number
  end: number
}

/** A block as markdown sees it. `parts` are where an oversized one may be cut: items, rows, lines; none for prose. */
export interface Block extends Span {
  kind: 'prose' | 'atomic'
  parts: Span[]
}

/** What stands under one heading, up to the next heading of any level. */
export interface Section {
  /** 0 before the first heading, else 1 to 6. */
  depth: number
  /** "A > B > C", empty before the first heading. */
  path: string
  /** The heading's line as it stands in the document. */
  header: string
  heading: Span | null
  blocks: Block[]
}

// Inline markup decides no boundary, and several of these constructs cost quadratic time on hostile text.
const INLINE_CONSTRUCTS = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'definition',
  'emailAutolink',
  'gfmFootnoteCall',
  'gfmFootnoteDefinition',
  'gfmPotentialFootnoteCall',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
  'protocolAutolink',
  'strikethrough',
  'tasklistCheck',
  'wwwAutolink',
]
const DEEP_NESTING = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){16,}/gm
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/gm
const MOST_UNDERLINES = 500

/**
 * Cuts a markdown (or plain) text into its sections and blocks. Headings inside code, quotes and lists are text, not
 * sections; YAML front matter is a block of prose. Every character that is not white space lies in a heading or a block.
 */
export function readSections(text: string): Section[] {
  const sections: Section[] = [{ depth: 0, path: '', header: '', heading: null, blocks: [] }]
  const titles: { depth: number; title: string }[] = []
  for (const node of parseBlocks(text)) {
    const span = spanOf(node)
    if (node.type !== 'heading') {
      sections.at(-1)?.blocks.push(blockOf(node, span, text))
      continue
    }
    while ((titles.at(-1)?.depth ?? 0) >= node.depth) titles.pop()
    titles.push({ depth: node.depth, title: titleOf(node) })
    sections.push({
      depth: node.depth,
      path: titles.map(entry => entry.title).join(' > '),
      header: (text.slice(span.start, span.end).split(/[\r\n]/, 1)[0] ?? '').trim(),
      heading: span,
      blocks: [],
    })
  }
  return sections.filter(section => section.heading !== null || section.blocks.length > 0)
}

function parseBlocks(text: string): RootContent[] {
  const underlines = text.match(UNDERLINE)?.length ?? 0
  // The parser's time is quadratic in setext headings; so many underlines are drawn rules, not headings.
  const disabled = underlines > MOST_UNDERLINES ? [...INLINE_CONSTRUCTS, 'setextUnderline'] : INLINE_CONSTRUCTS
  return fromMarkdown(maskForParsing(text), {
    extensions: [gfm(), { disable: { null: disabled } }],
    mdastExtensions: gfmFromMarkdown().filter(extension => extension.transforms === undefined),
  }).children
}

/** The text at its full length, so that offsets hold, without what the block parser would misread or choke on. */
function maskForParsing(text: string): string {
  const withoutMark = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
  return withoutMark
    .replace(FRONT_MATTER, matter => `${'x'.repeat(matter.length - 2)}\n\n`)
    .replace(DEEP_NESTING, markers => 'x'.repeat(markers.length))
}

function blockOf(node: RootContent, span: Span, text: string): Block {
  switch (node.type) {
    case 'list':
    case 'table':
      return { ...span, kind: 'atomic', parts: tile(span, node.children.map(spanOf)) }
    case 'code':
    case 'html':
      return { ...span, kind: 'atomic', parts: linesOf(span, text) }
    default:
      return { ...span, kind: 'prose', parts: [] }
  }
}

/** The parts stretched to fill the whole: what lies between two rows (the rule under a table's head) goes with the first. */
function tile(whole: Span, parts: Span[]): Span[] {
  return parts.map((part, index) => ({
    start: index === 0 ? whole.start : part.start,
    end: parts[index + 1]?.start ?? whole.end,
  }))
}

function linesOf(span: Span, text: string): Span[] {
  const lines: Span[] = []
  let start = span.start
  while (start < span.end) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 || newline >= span.end ? span.end : newline + 1
    lines.push({ start, end })
    start = end
  }
  return lines
}

function spanOf(node: { position?: RootContent['position'] }): Span {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 }
}

function titleOf(heading: Heading): string {
  const raw = plainText(heading)
  const plain = /[*_`[\]<&\\~!]/.test(raw) && raw.length < 1000 ? plainText(fromMarkdown(raw)) : raw
  return plain.replace(/\s+/g, ' ').trim()
}

function plainText(node: object): string {
  if ('value' in node && typeof node.value === 'string') return node.value
  if ('children' in node && Array.isArray(node.children)) return node.children.map(plainText).join('')
  return ''
}
