import type { Heading, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/** YAML front matter at the start of a text, with its last line end; the first group is the YAML. */
export const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

/** A range of the document in UTF-16 code units, end exclusive. */
export interface Span {
  start: number
  end: number
}

/** A block of markdown. */
export interface Block extends Span {
  kind: 'prose' | 'atomic'
  /** Items, rows or lines, where a block that is too large is cut; empty for prose. */
  parts: Span[]
}

/** A heading with the text up to the next heading of any level. */
export interface Section {
  /** 0 before the first heading, else 1 to 6. */
  depth: number
  /** "A > B > C"; empty before the first heading. */
  path: string
  /** The first line of the heading. */
  header: string
  heading: Span | null
  blocks: Block[]
}

// Inline markup does not affect boundaries, and several of these constructs take quadratic time on hostile text.
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
 * Cuts a markdown or plain text into sections and blocks. Headings inside code, quotes and lists do not start sections, and YAML
 * front matter is a block of prose. Every character that is not white space is in a heading or a block.
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
  // The time of the parser is quadratic in underlined headings; so many underlines are rules, not headings.
  const disabled = underlines > MOST_UNDERLINES ? [...INLINE_CONSTRUCTS, 'setextUnderline'] : INLINE_CONSTRUCTS
  return fromMarkdown(maskForParsing(text), {
    extensions: [gfm(), { disable: { null: disabled } }],
    mdastExtensions: gfmFromMarkdown().filter(extension => extension.transforms === undefined),
  }).children
}

/** Masks what the block parser misreads or parses too slowly; the length stays, so that offsets stay. */
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

/** Extends each part to the next one, so that they cover the whole: the rule of a table joins its head row. */
function tile(whole: Span, parts: Span[]): Span[] {
  return parts.map((part, index) => ({
    start: index === 0 ? whole.start : part.start,
    end: parts[index + 1]?.start ?? whole.end,
  }))
}

function linesOf(span: Span, text: string): Span[] {
  return Array.from(text.slice(span.start, span.end).matchAll(/[^\n]*\n|[^\n]+$/g), ({ 0: line, index }) => {
    const start = span.start + index
    return { start, end: start + line.length }
  })
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
