import { columnsOf } from '../columns.ts'
import { ACCESS_LABEL } from './lines.ts'

/** What begins a block inside of a function, a comment or an attribute. */
const INSIDE =
  /^(?:\}?\s*(?:if|elif|elsif|else|for|foreach|while|until|unless|do|loop|try|catch|except|finally|rescue|with|switch|match|case|when|default|select|begin)\b|\/[/*]|\*|#|@|--)/u
/** The functions, classes and other named blocks of source code that are open at a place of it, by their first statements. */
export class OpenBlocks {
  private readonly open: { columns: number; place: number }[] = []

  /**
   * The places of the beginnings of the blocks around the statement at `place`, outermost first. Statements come in their order.
   * @param most so many, the innermost ones
   */
  around({ text, opens }: { text: string; opens?: boolean | undefined }, place: number, most: number): number[] {
    const columns = columnsOf(text)
    const words = text.trimStart()
    // A statement that does not stand deeper than the beginning of a block is behind the block.
    if (!ACCESS_LABEL.test(words)) while ((this.open.at(-1)?.columns ?? -1) >= columns) this.open.pop()
    const around = this.open.slice(-most).map(one => one.place)
    if (opens && !INSIDE.test(words)) this.open.push({ columns, place })
    return around
  }
}
