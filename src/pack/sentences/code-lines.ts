import { closesFence, openingFence } from '../../text/fence.ts'
import type { CutSentence } from './units.ts'

/**
 * The lines of a block of fenced code, each with the blank lines behind it, where the block as a whole is too long: first the opening fence, last its end.
 * None when the fence has no end or nothing between, or is indented: its end alone would not be as deep.
 */
export function codeLinesOf(block: CutSentence): CutSentence[] {
  const fence = openingFence(block.text)
  const lines: CutSentence[] = []
  for (const { 0: text, index } of block.text.matchAll(/[^\n]*\n|[^\n]+$/gu)) {
    const before = lines.at(-1)
    const start = block.start + index
    const end = start + text.length
    if (text.trim() === '' && before) lines[lines.length - 1] = { ...before, text: before.text + text, end }
    else lines.push({ text, start, end, kind: block.kind })
  }
  const last = lines.at(-1)
  return fence !== null && fence.trim() === fence && last && lines.length > 2 && closesFence(last.text, fence)
    ? lines
    : []
}

/** A text without the line that opens code at its start: the name of a language says nothing when nothing follows. */
export function withoutOpeningFence(text: string): string {
  const end = text.trimEnd().indexOf('\n')
  return end >= 0 && openingFence(text) !== null ? text.slice(end + 1) : text
}
