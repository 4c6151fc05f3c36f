import type { PassageParts } from '../../../core/ports.ts'
import type { Span } from '../../../core/types.ts'
import { isCode } from '../../../text/code/is-code.ts'
import { wordsOfCode } from '../../../text/code/words-of-code.ts'

/** Marks of Markdown: of headings, emphasis, code, tables and rules. */
const MARKS = /^#{1,6}(?=\s)|[*`|]|~~|-{3,}/gmu

/**
 * A passage as the model reads it. It learned sentences, and each mark is a token that matches nothing: source code becomes its words, and in other texts the marks of Markdown
 * become spaces, so that offsets stay.
 */
export function readingOf(passage: string): string {
  return isCodeBelowTitle(passage) ? wordsOfCode(passage) : withoutMarks(passage)
}

/** The same with the places of parts of the passage, which are in order. @param passage of source code the parts begin and end with lines */
export function readingWithParts({ text, parts }: PassageParts): PassageParts {
  if (!isCodeBelowTitle(text)) return { text: withoutMarks(text), parts }
  const places: Span[] = []
  let place = 0
  let read = 0
  for (const { start, end } of parts) {
    const from = place + wordsOfCode(text.slice(read, start)).length
    place = from + wordsOfCode(text.slice(start, end)).length
    read = end
    places.push({ start: from, end: place })
  }
  return { text: wordsOfCode(text), parts: places }
}

/** A passage begins with a line that has its section path or title. */
function isCodeBelowTitle(passage: string): boolean {
  return isCode(passage.slice(passage.indexOf('\n') + 1))
}

function withoutMarks(text: string): string {
  return text.replace(MARKS, marks => ' '.repeat(marks.length))
}
