import { inOneLine } from '../printable.ts'
import { withoutRemark } from './lines.ts'
import { OpenBlocks } from './open-blocks.ts'
import type { Statement } from './statements.ts'

/** A function, class or another block with a name. */
export interface NamedBlock {
  /** What it is and its name, of a function without what it takes: "class Store", "def open". */
  name: string
  isFunction: boolean
  /** The innermost one around it. */
  parent: NamedBlock | null
  /** Number of those around it. */
  depth: number
}

/** Words before the one that says what it is, such as "export default", "pub(crate)" and annotations. */
const BEFORE = String.raw`^(?:@?[\w$]+(?:\([^()]*\))?\s+){0,6}?`
const NAME = String.raw`(?:<[^<>]*>)?\s+[\w$]`
const TYPE = new RegExp(
  `${BEFORE}(?:(?:class|interface|struct|enum|union|trait|impl|module|mod|namespace|object|protocol|extension|record|actor)${NAME}|type\\s+\\w+(?:\\[.*\\])?\\s+(?:struct|interface)\\b)`,
  'u',
)
const FUNCTION = new RegExp(
  `${BEFORE}(?:(?:def|fn|func|function|fun|sub)${NAME}|func\\s+\\(|function\\s*\\*\\s*[\\w$])`,
  'u',
)
/** A function that a name gets. */
const ASSIGNED =
  /^((?:(?:export|const|let|var|static|public|private|readonly)\s+)*[\w$.#]+)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\([^=]*\)[^=]*=>|[\w$]+\s*=>)/u
/** A name, what it takes in brackets, and a bracket behind: a method, and with a type before the name a function. */
const METHOD = /^(?:@\w+\s+)?[^=;'"`.(!,]*[\w$\]>=]\s?\(.*\)[^=;"`]*\{?$/u
const WITH_TYPE = /^[\w$<>[\]*&:~\s]+\s[\w$~*&:<>]+\s?\(/u
/** What a function takes, and all behind it. The receiver of a method in Go stays. */
const PARAMETERS = /(?<=[\w$>\]?!=])(?<!\b(?:pub|func))\s?\(.*$/su
const PARAMETERS_OF_TYPE = /<(?=[^<>]*(?:\(|->)).*$/su
const END = /\s\bwhere\b.*$|[\s{:=]+$/gu
/** Of deeper blocks the outer ones are left out of a path. */
const MOST_NAMES = 4
/** Longest name, in UTF-16 code units. */
const LONGEST = 80
const FIRST_LINES = 6
/** What stands between the names of a path. */
const SEPARATOR = / >(?= |$)/gu

/**
 * The innermost named block that each statement of source code is in, or that it begins; null outside of named blocks. Attributes and comments directly above code belong to it.
 */
export function namedBlocks(text: string, statements: readonly Statement[]): (NamedBlock | null)[] {
  const open = new OpenBlocks<NamedBlock | null>()
  const own: (NamedBlock | null)[] = []
  for (const { start, end, opens, kind } of statements) {
    // Lines of a string can stand anywhere.
    if (kind === 'string') {
      own.push(own.at(-1) ?? null)
      continue
    }
    const statement = text.slice(start, end)
    let begun: NamedBlock | null = null
    const around = open.enter({ text: statement, opens }, parent => {
      begun = blockOf(statement, parent ?? null)
      return begun ?? parent ?? null
    })
    own.push(begun ?? around ?? null)
  }
  for (let at = statements.length - 2; at >= 0; at--) {
    const statement = statements[at] as Statement
    if (statement.opens && isAbove(statement, text)) own[at] = own[at + 1] ?? null
  }
  return own
}

/** Whether a statement that opens says something about the next one: a comment or an attribute. */
function isAbove({ kind, start }: Statement, text: string): boolean {
  return kind === 'comment' || /^\s*[@#[]/u.test(text.slice(start, start + LONGEST))
}

/** The innermost block that both are in; null when there is none. */
export function commonBlock(left: NamedBlock | null, right: NamedBlock | null): NamedBlock | null {
  let [a, b] = [left, right]
  while (a !== b) {
    if (a === null || b === null) return null
    if (a.depth >= b.depth) a = a.parent
    else b = b.parent
  }
  return a
}

/** The names of a block and of those around it, the outermost first, as of sections: "class Store > def open". The four innermost ones; empty for null. */
export function blockPath(block: NamedBlock | null): string {
  const names: string[] = []
  for (let one = block; one !== null && names.length < MOST_NAMES; one = one.parent) names.unshift(one.name)
  return names.join(' > ')
}

function blockOf(statement: string, parent: NamedBlock | null): NamedBlock | null {
  const lines = statement
    .trimStart()
    .slice(0, 4 * LONGEST)
    .split('\n', FIRST_LINES)
  const head = inOneLine(lines.map(line => withoutRemark(line.trim())).join(' '))
  const assigned = ASSIGNED.exec(head)
  const isType = TYPE.test(head)
  const isNamed = assigned !== null || isType || FUNCTION.test(head)
  if (!isNamed && !(METHOD.test(head) && (parent === null ? WITH_TYPE.test(head) : !parent.isFunction))) return null
  const full = assigned?.[1] ?? head.replace(PARAMETERS, '').replace(PARAMETERS_OF_TYPE, '')
  const name = full.replace(END, '').replaceAll(SEPARATOR, '>')
  if (name.length === 0 || name.length > LONGEST) return null
  return { name, isFunction: !isType, parent, depth: (parent?.depth ?? -1) + 1 }
}
