import { columnsOf } from '../columns.ts'
import { ACCESS_LABEL } from './lines.ts'

/** What begins a block inside of a function, a comment or an attribute. */
const INSIDE =
  /^(?:\}?\s*(?:if|elif|elseif|elsif|else|for|foreach|while|until|unless|do|loop|repeat|try|catch|except|finally|rescue|with|using|lock|synchronized|guard|defer|go|switch|match|case|when|default|select|begin)\b|\/[/*]|\*|#(?!\w+\()|@|--)/u
/** Instructions of a preprocessor, and labels, stand at the edge wherever they are. */
const AT_EDGE =
  /^(?:#(?:if|ifdef|ifndef|else|elif|endif|define|undef|pragma)\b|(?!(?:try|else|finally|default|do|begin)\b)\w+:\s*$)/u

/** The functions, classes and other blocks of source code that are open at a place of it, with a value of each. */
export class OpenBlocks<T> {
  private readonly open: { columns: number; value: T }[] = []

  /**
   * Goes on to the next statement. @param valueFor the block that begins with it, by the value of the block around it
   * @returns the value of the innermost block around the statement; undefined outside of blocks
   */
  enter(
    { text, opens }: { text: string; opens?: boolean | undefined },
    valueFor: (around: T | undefined) => T,
  ): T | undefined {
    const columns = columnsOf(text)
    const words = text.trimStart()
    if (AT_EDGE.test(words)) return this.innermost()
    const isLabel = ACCESS_LABEL.test(words)
    // A statement that does not stand deeper than the beginning of a block is behind the block; such a label is inside of it.
    while ((this.open.at(-1)?.columns ?? -1) >= columns + (isLabel ? 1 : 0)) this.open.pop()
    const around = this.innermost()
    if (opens && !isLabel && !INSIDE.test(words)) this.open.push({ columns, value: valueFor(around) })
    return around
  }

  private innermost(): T | undefined {
    return this.open.at(-1)?.value
  }
}
