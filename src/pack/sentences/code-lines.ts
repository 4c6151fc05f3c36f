import { beginsOpenCode, closesFence, openingFence } from '../../text/fence.ts'
import type { CutSentence } from './units.ts'

/**
 * The lines of a block of fenced code, each with the blank lines behind it, where the block as a whole is too long: first the opening fence, last its end, which is
 * empty where a chunk ends inside of the code. None when there is nothing between, when the fence may be the end of code that begins before the chunk, and
 * when it is indented: its end alone would not be as deep.
 * @param before the text of the chunk before the block
 */
export function codeLinesOf(block: CutSentence, before: string): CutSentence[] {
  const fence = openingFence(block.text)
  if (fence === null || fence.trim() !== fence) return []
  const lines = linesOf(block)
  const [first, second, last] = [lines[0], lines[1], lines.at(-1)]
  if (!first || !second || !last) return []
  if (!closesFence(last.text, fence)) {
    if (!beginsOpenCode(first.text.trimEnd(), fence, before, second.text)) return []
    lines.push({ ...last, text: '', start: last.end })
  }
  return lines.length > 2 ? lines : []
}

function linesOf(block: CutSentence): CutSentence[] {
  const lines: CutSentence[] = []
  for (const { 0: text, index } of block.text.matchAll(/[^\n]*\n|[^\n]+$/gu)) {
    const before = lines.at(-1)
    const start = block.start + index
    const end = start + text.length
    if (text.trim() === '' && before) lines[lines.length - 1] = { ...before, text: before.text + text, end }
    else lines.push({ text, start, end, kind: block.kind })
  }
  return lines
}

/** A text without the line that opens code at its start: the name of a language says nothing when nothing follows. */
export function withoutOpeningFence(text: string): string {
  const end = text.trimEnd().indexOf('\n')
  return end >= 0 && openingFence(text) !== null ? text.slice(end + 1) : text
}
