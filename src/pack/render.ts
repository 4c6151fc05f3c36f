import type { ContextFormat } from '../core/types.ts'
import { titledPath } from '../text/titled-path.ts'
import type { Block } from './layout.ts'
import { escapeMarkdown } from './markdown-frame.ts'

/** Marks left out text between two parts of a block. */
export const GAP = '\n[…]\n'

/** Writes blocks in one format. The context is the plain concatenation of these strings, so their token counts can be added. */
export interface Renderer {
  /** Opens a block. `index` counts from 1 and is the citation. */
  open(block: SourceLine, index: number): string
  close: string
  /** Escapes the text of a block, so that it cannot leave its frame. */
  escape(text: string): string
  /** Text before the first block, between two blocks, and after the last one. */
  before: string
  between: string
  after: string
}

interface SourceLine extends Pick<Block, 'docId' | 'docTitle' | 'sectionPath'> {
  /** Null leaves the relevance out. */
  value: number | null
}

export const RENDERERS: Record<ContextFormat, Renderer> = {
  markdown: {
    open: ({ docId, docTitle, sectionPath }, index) =>
      `[${index}] ${titledPath(oneLine(docTitle || docId), oneLine(sectionPath))}\n`,
    close: '\n',
    escape: escapeMarkdown,
    before: '',
    between: '\n',
    after: '',
  },
  xml: {
    open: ({ docId, sectionPath, value }, index) =>
      `<document index="${index}" source="${attribute(docId)}" section="${attribute(sectionPath)}"${value === null ? '' : ` relevance="${value.toFixed(2)}"`}>\n`,
    close: '\n</document>\n',
    escape: escapeXml,
    before: '<documents>\n',
    between: '',
    after: '</documents>\n',
  },
  json: {
    open: ({ docId, docTitle, sectionPath, value }, index) =>
      `{"index":${index},"source":${JSON.stringify(docId)},"title":${JSON.stringify(docTitle)},"section":${JSON.stringify(sectionPath)}${value === null ? '' : `,"relevance":${value.toFixed(2)}`},"text":"`,
    close: '"}',
    escape: text => JSON.stringify(text).slice(1, -1),
    before: '[',
    between: ',\n',
    after: ']\n',
  },
}

/** Renders the context for the reader. No blocks give the empty string. */
export function render(
  blocks: readonly Block[],
  renderer: Renderer,
  { showRelevance }: { showRelevance: boolean },
): string {
  if (blocks.length === 0) return ''
  const rendered = blocks.map((block, index) => {
    const text = renderer.escape(block.parts.map(part => part.trim()).join(GAP))
    return `${renderer.open({ ...block, value: showRelevance ? block.value : null }, index + 1)}${text}${renderer.close}`
  })
  return `${renderer.before}${rendered.join(renderer.between)}${renderer.after}`
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

function attribute(text: string): string {
  return escapeXml(oneLine(text)).replaceAll('"', '&quot;')
}

/** Escapes markup and replaces characters that XML 1.0 forbids. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/gu, '\uFFFD')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  )
}
