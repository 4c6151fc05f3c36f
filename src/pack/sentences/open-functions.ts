import { columnsOf } from '../../text/columns.ts'
import type { CutSentence } from './units.ts'

/** What begins a block inside of a function, a comment or an attribute. */
const INSIDE =
  /^(?:\}?\s*(?:if|elif|elsif|else|for|foreach|while|until|unless|do|loop|try|catch|except|finally|rescue|with|switch|match|case|when|default|select|begin)\b|\/[/*]|\*|#|@|--)/u

/** The functions, classes and other named blocks of source code that are open at a place of it, by their first statements. */
export class OpenFunctions {
  private readonly open: { columns: number; place: number }[] = []

  /** The place of the beginning of the innermost function around the statement at `place`, as a list; none outside of functions. Statements come in their order. */
  around({ text, opens }: CutSentence, place: number): number[] {
    const columns = columnsOf(text)
    // A statement that does not stand deeper than the beginning of a block is behind the block.
    while ((this.open.at(-1)?.columns ?? -1) >= columns) this.open.pop()
    const around = this.open.slice(-1).map(one => one.place)
    if (opens && !INSIDE.test(text.trimStart())) this.open.push({ columns, place })
    return around
  }
}
