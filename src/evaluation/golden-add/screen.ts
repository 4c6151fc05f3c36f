import { prefixOf } from '../../core/prefix.ts'
import { titledPath } from '../../text/titled-path.ts'
import type { ShownCandidate } from './marking.ts'
import type { SeenQuestion } from './read-traces.ts'

/** Makes text stand out; returns it as it is where there are no colours. */
export interface Style {
  strong(text: string): string
  weak(text: string): string
}

/** UTF-16 units of a passage on the screen. */
const LONGEST_TEXT = 600
/** What a terminal would obey, in the texts of documents and clients: all control characters but the line end and the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu

export function questionText(
  { query, tenant, intent }: SeenQuestion,
  number: number,
  of: number,
  style: Style,
): string {
  const facts = [`${number}/${of}`, ...(intent ? [intent] : []), ...(tenant ? [`tenant ${tenant}`] : [])].join(', ')
  return `\n${style.weak(plain(facts))}\n${style.strong(plain(query))}\n`
}

/** @param from number of candidates before these */
export function candidatesText(candidates: readonly ShownCandidate[], from: number, all: number, style: Style): string {
  if (all === 0) return '\n  (the request found nothing)\n\n'
  const shown = candidates.map((candidate, at) => candidateText(candidate, from + at + 1, style)).join('')
  const left = all - from - candidates.length
  return `${shown}${left > 0 ? `\n  ${style.weak(`${left} more candidates: m`)}\n` : ''}\n`
}

function candidateText({ docId, sectionPath, dropped, chunk }: ShownCandidate, number: number, style: Style): string {
  const title = titledPath(chunk?.docTitle || docId, chunk?.sectionPath ?? sectionPath)
  const fate = dropped === null ? 'packed' : `dropped: ${dropped}`
  const head = `\n${style.strong(`${number}`.padStart(3))}  ${plain(title)} ${style.weak(`[${fate}]`)}\n`
  if (chunk === null) return `${head}     (the point is gone, or has no text under a known field)\n`
  const text = plain(chunk.text.trim())
  const cut = text.length > LONGEST_TEXT ? `${prefixOf(text, LONGEST_TEXT)} …` : text
  return `${head}${cut
    .split('\n')
    .map(line => (line.trim() === '' ? '\n' : `     ${line}\n`))
    .join('')}`
}

function plain(text: string): string {
  return text.replace(CONTROLS, '\uFFFD')
}
