/** One line of a text, without its end. */
interface TextLine {
  /** From 1. */
  number: number
  text: string
  /** False for the last line of a text that does not end with a line break. It may still be being written. */
  ended: boolean
}

/** A longer line is cut off here, and will not be understood. A trace of 1,000 candidates has about 1 MB. */
const LONGEST_LINE = 64 * 1024 * 1024

/** Cuts chunks of a text into its lines. It holds one line at a time. */
export async function* textLines(chunks: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let number = 1
  let parts: string[] = []
  let length = 0
  const keep = (part: string) => {
    if (length < LONGEST_LINE) parts.push(part)
    length += part.length
  }
  for await (const chunk of chunks) {
    const pieces = chunk.split('\n')
    for (const [index, piece] of pieces.entries()) {
      keep(piece)
      if (index === pieces.length - 1) continue
      yield { number, text: parts.join(''), ended: true }
      number += 1
      parts = []
      length = 0
    }
  }
  if (length > 0) yield { number, text: parts.join(''), ended: false }
}
