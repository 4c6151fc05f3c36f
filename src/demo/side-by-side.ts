import { styleText } from 'node:util'
import { prefixOf } from '../core/prefix.ts'
import type { ContextChunk } from '../pipeline/context-request.ts'
import { titledPath } from '../text/names/titled-path.ts'
import { shownNumber } from '../text/printable.ts'
import type { DemoResult } from './demo.ts'
import { type MarkedChunk, markRepeated, repeatedTokens } from './repeated.ts'

/** How the terminal shows text. */
export interface Screen {
  /** Width in characters. */
  columns: number
  colour: boolean
}

type Style = (text: string) => string

const MOST_ROWS = 7
const BETWEEN = ' │ '

/** One question: the chunks of plain top-k on the left, those of stowage on the right, repeated ones crossed out. */
export function sideBySide(result: DemoResult, screen: Screen): string {
  const { bold, dim, crossedOut, gained } = styles(screen)
  const width = Math.floor((screen.columns - BETWEEN.length) / 2)
  const topK = markRepeated(result.top_k.chunks, result.trace)
  const stowage = markRepeated(result.chunks, result.trace)
  const known = new Set(topK.map(({ chunk }) => chunk.id))
  const left = topK.map(({ chunk, repeated }) => row(chunk, width, repeated ? crossedOut : unstyled))
  const right = stowage.map(({ chunk, repeated }) =>
    row(chunk, width, repeated ? crossedOut : known.has(chunk.id) ? unstyled : gained),
  )
  const lines = withinRows(left, right, width).map(
    ([one, other]) => (one ?? ' '.repeat(width)) + BETWEEN + (other ?? ''),
  )
  const inColumns = (texts: readonly string[], style: Style) =>
    texts.map(text => style(cut(text, width).padEnd(width))).join(BETWEEN)
  return [
    bold(cut(result.query, screen.columns)),
    inColumns([head('plain top-k', result.top_k.tokens, topK), head('stowage', result.tokens, stowage)], dim),
    inColumns([result.top_k, result].map(answerLine), bold),
    ...lines,
    '',
  ].join('\n')
}

/** What the comparison comes to, and what to do next. */
export function closing(results: readonly DemoResult[], screen: Screen): string {
  const { bold, crossedOut, gained } = styles(screen)
  const spent = sum(results, ({ top_k }) => top_k.tokens)
  const wasted = sum(results, ({ top_k, trace }) => repeatedTokens(markRepeated(top_k.chunks, trace)))
  const left = sum(results, ({ chunks, trace }) => repeatedTokens(markRepeated(chunks, trace)))
  const share = spent === 0 ? 0 : Math.round((100 * wasted) / spent)
  const of = sum(results, ({ gold_passages }) => gold_passages.of)
  const plain = sum(results, ({ top_k }) => top_k.gold_passages.found)
  const packed = sum(results, ({ gold_passages }) => gold_passages.found)
  return [
    bold(
      `Passages that answer, in budgets of the same size: ${plain} of ${of} with plain top-k, ${packed} with stowage.`,
    ),
    `Repeated text: ${shownNumber(wasted)} of the ${shownNumber(spent)} tokens of plain top-k (${share} %), ${shownNumber(left)} with stowage.`,
    `${crossedOut('x repeated')}  ${gained('+ found only with stowage')}  The contexts and every reason: stowage demo --full`,
    'The same for all golden questions of these documents: npx stowage replay isharoth',
    'Next, with your own documents, kept in the folder stowage-data:',
    '  export EMBEDDED_PATH=./stowage-data',
    '  npx stowage ingest ./docs --collection docs',
    '  npx stowage serve',
    '',
  ].join('\n')
}

/** Marks stand in the first column, so that nothing depends on colour. */
function styles({ colour }: Screen): Record<'bold' | 'dim' | 'crossedOut' | 'gained', Style> {
  const styled = (format: Parameters<typeof styleText>[0], mark = ''): Style => {
    const marked: Style = text => mark + text.slice(mark.length)
    return colour ? text => styleText(format, marked(text)) : marked
  }
  return {
    bold: styled('bold'),
    dim: styled('dim'),
    crossedOut: styled(['strikethrough', 'red'], 'x'),
    gained: styled('green', '+'),
  }
}

const unstyled: Style = text => text

function head(name: string, tokens: number, chunks: readonly MarkedChunk[]): string {
  const repeated = repeatedTokens(chunks)
  return `${name}: ${shownNumber(tokens)} tokens${repeated === 0 ? '' : `, ${shownNumber(repeated)} of them repeated`}`
}

/** Whether the passages that answer the question are in a context. */
export function answerLine({ gold_passages: { found, of } }: Pick<DemoResult, 'gold_passages'>): string {
  if (of === 1) return found === 1 ? 'holds the answer' : 'does not hold the answer'
  return `holds ${found} of ${of} passages that answer`
}

/** For example `  Isharoth, the Warden Below > Who is Isharoth?     180`. */
function row({ doc_title, section_path, tokens }: ContextChunk, width: number, style: Style): string {
  const count = shownNumber(tokens).padStart(7)
  const name = shortPath(titledPath(doc_title, section_path), width - count.length - 2)
  return style(`  ${name}`.padEnd(width - count.length) + count)
}

/** Pairs the rows of both sides. When there are too many, the last pair counts those that are left out. */
function withinRows(
  left: readonly string[],
  right: readonly string[],
  width: number,
): [string | undefined, string | undefined][] {
  const shown = (rows: readonly string[]) =>
    rows.length <= MOST_ROWS
      ? rows
      : [...rows.slice(0, MOST_ROWS - 1), `  and ${rows.length - MOST_ROWS + 1} more`.padEnd(width)]
  const [one, other] = [shown(left), shown(right)]
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [one[at], other[at]])
}

/** Shortens a path in its middle, because its ends say most: `Handbook for Appr… > … > Oath`. The title has at least a third of the width. */
function shortPath(path: string, width: number): string {
  if (path.length <= width) return path
  const parts = path.split(' > ')
  const [title = ''] = parts
  if (parts.length === 1) return cut(title, width)
  const between = parts.length === 2 ? ' > ' : ' > … > '
  const section = parts.at(-1) ?? ''
  const room = width - between.length
  const shown = cut(title, Math.max(Math.floor(width / 3), room - section.length))
  return `${shown}${between}${cut(section, room - shown.length)}`
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${prefixOf(text, width - 1)}…`
}

function sum(results: readonly DemoResult[], tokens: (result: DemoResult) => number): number {
  return results.reduce((total, result) => total + tokens(result), 0)
}
