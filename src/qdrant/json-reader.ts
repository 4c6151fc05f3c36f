import {
  endOfKey,
  endOfValue,
  type JsonKind,
  kindOf,
  RawJsonError,
  readKey,
  skipSpace,
  unexpected,
} from './raw-json.ts'

/** Containers that Qdrant reads inside each other. */
const DEEPEST = 127

/** Reads a JSON text from left to right, each character once. What is wrong in it is a RawJsonError. */
export class JsonReader {
  readonly text: string
  /** Offset of the next value. */
  at = 0
  #depth = 0

  constructor(text: string) {
    this.text = text
    this.at = skipSpace(text, 0)
  }

  /** The kind of the next value, by its first character. */
  get kind(): JsonKind {
    return kindOf(this.text.slice(this.at, this.at + 1))
  }

  /** Passes over the next value and returns its raw text. */
  take(): string {
    const start = this.at
    this.at = endOfValue(this.text, start, DEEPEST - this.#depth)
    return this.text.slice(start, this.at)
  }

  /** Keys of the next value, an object. Its reader passes over each value before it asks for the next key. Refuses duplicate keys. */
  *members(): Generator<string, void> {
    const seen = new Set<string>()
    for (const _ of this.#parts('{', '}')) {
      const keyStart = this.at
      const keyEnd = endOfKey(this.text, keyStart)
      const key = readKey(this.text.slice(keyStart, keyEnd))
      if (seen.has(key)) throw new RawJsonError(`duplicate key ${JSON.stringify(key)}`)
      seen.add(key)
      this.at = skipSpace(this.text, keyEnd)
      yield key
    }
  }

  /** Counts the elements of the next value, an array. Its reader passes over each element before it asks for the next. */
  elements(): Generator<void, void> {
    return this.#parts('[', ']')
  }

  /** @throws RawJsonError when text follows the value */
  end(): void {
    const end = skipSpace(this.text, this.at)
    if (end !== this.text.length) throw unexpected(this.text, end)
  }

  *#parts(opening: string, closing: string): Generator<void, void> {
    this.#pass(opening)
    this.#depth++
    if (this.#depth > DEEPEST) throw new RawJsonError('too many containers inside each other')
    for (let more = this.text[this.at] !== closing; more; ) {
      yield
      this.at = skipSpace(this.text, this.at)
      more = this.text[this.at] === ','
      if (more) this.#pass(',')
    }
    this.#pass(closing)
    this.#depth--
  }

  #pass(character: string): void {
    if (this.text[this.at] !== character) throw unexpected(this.text, this.at)
    this.at = skipSpace(this.text, this.at + 1)
  }
}
