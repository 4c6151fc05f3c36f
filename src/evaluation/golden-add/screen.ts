import { prefixOf } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'
import { titledPath } from '../../text/names/titled-path.ts'
import { terminalText } from '../../text/printable.ts'
import type { SeenCandidate, SeenQuestion } from './read-traces.ts'

/** Makes text stand out; returns it as it is where there are no colours. */
export interface Style {
  strong(text: string): string
  weak(text: string): string
}

/** A candidate with its text now; null when the point is gone or has no text. */
export interface ShownCandidate extends SeenCandidate {
  chunk: Chunk | null
}

/** UTF-16 units of a passage on the screen. */
const LONGEST_TEXT = 600

export function questionText(
  { query, tenant, intent }: SeenQuestion,
  number: number,
  of: number,
  style: Style,
): string {
  const facts = [`${number}/${of}`, ...(intent ? [intent] : []), ...(tenant ? [`tenant ${tenant}`] : [])].join(', ')
  return `\n${style.weak(terminalText(facts))}\n${style.strong(terminalText(query))}\n`
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
  const head = `\n${style.strong(`${number}`.padStart(3))}  ${terminalText(title)} ${style.weak(`[${fate}]`)}\n`
  if (chunk === null) return `${head}     (the point is gone, or has no text under a known field)\n`
  const text = terminalText(chunk.text.trim())
  const cut = text.length > LONGEST_TEXT ? `${prefixOf(text, LONGEST_TEXT)} …` : text
  return `${head}${cut
    .split('\n')
    .map(line => (line.trim() === '' ? '\n' : `     ${line}\n`))
    .join('')}`
}
