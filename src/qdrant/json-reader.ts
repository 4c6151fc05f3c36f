import {
  CLOSE_BRACE,
  COMMA,
  endOfKey,
  endOfValue,
  type JsonKind,
  kindOf,
  OPEN_BRACE,
  OPEN_BRACKET,
  RawJsonError,
  readKey,
  skipSpace,
  TO_CLOSER,
  unexpected,
} from './raw-json.ts'

const CLOSE_BRACKET = OPEN_BRACKET + TO_CLOSER
/** Containers that Qdrant reads inside each other. Its answers can hold a few more. */
const DEEPEST = 127
/** Characters between two pauses. */
const STRIDE = 50_000

/** Reads a JSON text from left to right, each character once. What is wrong in it is a RawJsonError. */
export class JsonReader {
  readonly text: string
  /** Offset of the next value. */
  at = 0
  readonly #deepest: number
  #depth = 0
  #pauseAt = STRIDE

  /** @param options `deepest` containers that may stand inside each other */
  constructor(text: string, { deepest = DEEPEST }: { deepest?: number } = {}) {
    this.text = text
    this.#deepest = deepest
    this.at = skipSpace(text, 0)
  }

  /** True once after each part of the text, for work in steps. */
  isPauseDue(): boolean {
    if (this.at < this.#pauseAt) return false
    this.#pauseAt = this.at + STRIDE
    return true
  }

  /** The kind of the next value, by its first character. */
  get kind(): JsonKind {
    return kindOf(this.text.slice(this.at, this.at + 1))
  }

  /** Passes over the next value and returns its raw text. */
  take(): string {
    const start = this.at
    this.at = endOfValue(this.text, start, this.#deepest - this.#depth)
    return this.text.slice(start, this.at)
  }

  /** Keys of the next value, an object. Its reader passes over each value before it asks for the next key. Refuses duplicate keys. */
  *members(): Generator<string, void> {
    const seen = new Set<string>()
    for (let more = this.#open(OPEN_BRACE); more; more = this.#next(CLOSE_BRACE)) {
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
  *elements(): Generator<void, void> {
    for (let more = this.#open(OPEN_BRACKET); more; more = this.#next(CLOSE_BRACKET)) yield
  }

  /** @throws RawJsonError when text follows the value */
  end(): void {
    const end = skipSpace(this.text, this.at)
    if (end !== this.text.length) throw unexpected(this.text, end)
  }

  /** Enters a container. @returns whether it holds anything */
  #open(opening: number): boolean {
    this.#pass(opening)
    this.#depth++
    if (this.#depth > this.#deepest) throw new RawJsonError('too many containers inside each other')
    const closing = opening + TO_CLOSER
    return this.text.charCodeAt(this.at) !== closing || this.#close(closing)
  }

  /** Goes on to the next part of a container, or leaves it. @returns whether there is one */
  #next(closing: number): boolean {
    this.at = skipSpace(this.text, this.at)
    if (this.text.charCodeAt(this.at) !== COMMA) return this.#close(closing)
    this.#pass(COMMA)
    return true
  }

  #close(closing: number): false {
    this.#pass(closing)
    this.#depth--
    return false
  }

  #pass(code: number): void {
    if (this.text.charCodeAt(this.at) !== code) throw unexpected(this.text, this.at)
    this.at = skipSpace(this.text, this.at + 1)
  }
}
