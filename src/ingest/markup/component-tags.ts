/** A line of nothing but tags whose names begin in upper case. */
const TAG_LINE = /^\s*(?:<\/?[A-Z][\w.]*(?:\s[^<>]*)?>\s*)+$/
const TAG = /<(\/?)([A-Z][\w.]*)([^<>]*)>/g
const CLOSING_TAG = /<\/([A-Z][\w.]*)\s*>/g

/** A tag over several lines begins with its name alone. Its attributes follow, one in each line, up to `>` or `/>`. */
const TAG_BEGINS = /^\s*<([A-Z][\w.]*)\s*$/
const TAG_ENDS = /^\s*(\/?>)\s*$/
const ATTRIBUTE = /^\s*[\w-]{1,40}=(?:"[^"]*"|'[^']*'|\{[^{}]*\})\s*(\/?>)?\s*$/

/** Follows the tags of MDX components from line to line, outside code. */
export class ComponentTags {
  /** The names of the components that the text closes. */
  #closed: ReadonlySet<string>
  #depth = 0
  /** The name in the tag over several lines that is open. */
  #begun: string | null = null

  constructor(text: string) {
    this.#closed = new Set(Array.from(text.matchAll(CLOSING_TAG), ([, name = '']) => name))
  }

  /** Whether a component is open: indentation is layout in it. */
  get isInside(): boolean {
    return this.#depth > 0
  }

  /** A blank line or code ends a tag over several lines. */
  interrupt(): void {
    this.#begun = null
  }

  /** The labels in a line of tags or of attributes; null for another line. */
  labelsIn(line: string): string | null {
    const name = TAG_BEGINS.exec(line)?.[1]
    if (name !== undefined) {
      this.#begun = name
      return ''
    }
    return this.#labelsInAttributes(line) ?? this.#labelsInTags(line)
  }

  #labelsInAttributes(line: string): string | null {
    if (this.#begun === null) return null
    const match = ATTRIBUTE.exec(line) ?? TAG_ENDS.exec(line)
    if (match === null) return null
    if (match[1] === '>' && this.#closed.has(this.#begun)) this.#depth += 1
    if (match[1] !== undefined) this.#begun = null
    return labelsOf(line)
  }

  /** `<Customer Number>` is text: a component has an attribute with a value, or it closes itself, or the text closes it. */
  #labelsInTags(line: string): string | null {
    if (!TAG_LINE.test(line)) return null
    let depth = this.#depth
    for (const [, slash, name = '', rest = ''] of line.matchAll(TAG)) {
      const isWhole = rest.endsWith('/')
      if (slash === '/') depth -= 1
      else if (!isWhole && this.#closed.has(name)) depth += 1
      else if (!isWhole && !rest.includes('=')) return null
    }
    this.#depth = Math.max(0, depth)
    return labelsOf(line)
  }
}

/** Attributes that hold text for readers, with a string or a template as their value. */
const LABEL =
  /\b(?:title|label|alt|text|caption|summary|description)\s?=\s?(?:"([^"]{0,300})"|'([^']{0,300})'|\{`([^`]{0,300})`\})/g

/** The texts of the attributes in a line of tags. */
export function labelsOf(line: string): string {
  return Array.from(line.matchAll(LABEL), ([, double, single, template]) => double ?? single ?? template ?? '').join(
    ' ',
  )
}
