import { closesFence, openingFence } from '../../text/fence.ts'

/** A part of a text of Markdown that stands for itself, with what is indented below it. */
export interface Block {
  text: string
  /** Offset of its first character. */
  start: number
  /** Offset behind its last line. */
  end: number
}

/** An item of a list in the first column. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/

/**
 * The paragraphs, headings, tables, code blocks and items of lists in the first column, in order, without the blank lines between them. What is indented belongs to the block above it,
 * so that any of them can be taken away and the others still mean the same.
 */
export function blocksOf(markdown: string): Block[] {
  const starts: number[] = []
  let at = 0
  let isBehindBlank = true
  let fence: string | null = null
  for (const line of markdown.split('\n')) {
    const isBlank = line.trim() === ''
    const isFirst = !isBlank && !/^\s/.test(line) && (isBehindBlank || ITEM.test(line))
    if (fence !== null) fence = closesFence(line, fence) ? null : fence
    else {
      if (isFirst || (!isBlank && starts.length === 0)) starts.push(at)
      fence = openingFence(line)
    }
    isBehindBlank = isBlank
    at += line.length + 1
  }
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? markdown.length
    return { text: markdown.slice(start, end).trimEnd(), start, end }
  })
}
