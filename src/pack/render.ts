import type { ContextFormat } from '../core/types.ts'
import { titledPath } from '../text/titled-path.ts'
import type { Block } from './layout.ts'

/** One way to write blocks down. All parts are joined as they are: their token counts bound the whole. */
export interface Renderer {
  /** What stands before a block's first part. `index` counts from 1 and is the citation. */
  open(block: SourceLine, index: number): string
  close: string
  /** Stands between two parts of a block: text is left out here. */
  gap: string
  /** Text as it stands in this format. */
  escape(text: string): string
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
    gap: '\n[…]\n',
    escape: text => text,
    before: '',
    between: '\n',
    after: '',
  },
  xml: {
    open: ({ docId, sectionPath, value }, index) =>
      `<document index="${index}" source="${attribute(docId)}" section="${attribute(sectionPath)}"${value === null ? '' : ` relevance="${value.toFixed(2)}"`}>\n`,
    close: '\n</document>\n',
    gap: '\n[…]\n',
    escape: escapeXml,
    before: '<documents>\n',
    between: '',
    after: '</documents>\n',
  },
  json: {
    open: ({ docId, docTitle, sectionPath, value }, index) =>
      `{"index":${index},"source":${JSON.stringify(docId)},"title":${JSON.stringify(docTitle)},"section":${JSON.stringify(sectionPath)}${value === null ? '' : `,"relevance":${value.toFixed(2)}`},"text":"`,
    close: '"}',
    gap: '\\n[…]\\n',
    escape: text => JSON.stringify(text).slice(1, -1),
    before: '[',
    between: ',\n',
    after: ']\n',
  },
}

/** The context as the model reads it; no blocks give the empty string. */
export function render(
  blocks: readonly Block[],
  renderer: Renderer,
  { showRelevance }: { showRelevance: boolean },
): string {
  if (blocks.length === 0) return ''
  const rendered = blocks.map((block, index) => {
    const text = block.parts.map(part => renderer.escape(part.trim())).join(renderer.gap)
    return `${renderer.open({ ...block, value: showRelevance ? block.value : null }, index + 1)}${text}${renderer.close}`
  })
  return `${renderer.before}${rendered.join(renderer.between)}${renderer.after}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}

function attribute(text: string): string {
  return escapeXml(oneLine(text)).replaceAll('"', '&quot;')
}

/** Text may not end its own wrapper, nor hold what XML 1.0 forbids. */
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
