import { inOneLine } from '../printable.ts'
import { OpenBlocks } from './open-blocks.ts'
import type { Statement } from './statements.ts'

/** Words that name a block, and a method without one: a name, what it takes, and a bracket. */
const NAMED =
  /(?<![\w.])(?:class|interface|struct|enum|union|trait|impl|module|namespace|def|fn|func|function|fun|sub|object|protocol|extension|record|type)\b|\s=\s.*=>\s*\{?$/u
const METHOD = /^[\w$#~][^=;'"`.(]*\(.*\)[^=;'"`]*\{?$/u
/** A call with a function as its last argument names nothing, and neither does what is returned. */
const NAMELESS = /^[\w$.]+\(.*(?:=>|\bfunction\b)|^(?:return|await|yield|throw|new)\b/u
/** What a function takes, and all behind it. The receiver of a method in Go stays. */
const PARAMETERS = /(?:(?<=[\w$>\]?!])(?<!\b(?:pub|func))\s?\(|\s=\s(?:async\b|function\b|\()).*$/su
const END = /(?:\swhere\b.*|\s*(?:[{:]|=>|=|\bthen|\bdo)*\s*)$/u
/** Of deeper blocks the outer ones are left out. */
const MOST_BLOCKS = 4
/** Longest name, in UTF-16 code units. */
const LONGEST = 80
/** What stands between the names of a path. */
const SEPARATOR = / >(?= |$)/gu

/**
 * The names of the functions, classes and other named blocks around each statement of source code, outermost first: "class Store", "def open". Of a function its parameters are
 * left out.
 */
export function blockNames(text: string, statements: readonly Statement[]): string[][] {
  const blocks = new OpenBlocks()
  const names: (string | null)[] = []
  return statements.map(({ start, end, opens }, place) => {
    const own = text.slice(start, end)
    const around = blocks.around({ text: own, opens }, place, MOST_BLOCKS)
    names.push(opens ? nameOf(own) : null)
    return around.flatMap(at => names[at] ?? [])
  })
}

function nameOf(statement: string): string | null {
  const head = inOneLine(statement.trimStart().slice(0, 4 * LONGEST))
  if (NAMELESS.test(head) || !(NAMED.test(head) || METHOD.test(head))) return null
  const name = head.replace(PARAMETERS, '').replace(END, '').replaceAll(SEPARATOR, '>')
  return name.length > 0 && name.length <= LONGEST ? name : null
}
