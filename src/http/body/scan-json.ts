import type { Steps } from '../../core/steps.ts'

/** Where a value stands, in bytes. */
export interface Span {
  readonly start: number
  /** The offset after the value. */
  readonly end: number
}

/** Reads JSON as it goes by. `Node` is what the visitor calls a container. */
export interface JsonVisitor<Node> {
  /**
   * Called before a part of an object or array.
   * @param key '' in an array
   * @returns what to call the part when it is a container; null to skip what is in it
   */
  enter(parent: Node, key: string, index: number): Node | null
  /** Called after a part. */
  leave(parent: Node, key: string, index: number, span: Span): void
}

/** Bytes that are read between two pauses. */
const STRIDE = 16 * 1024
/** Longer keys are cut. Escapes count six times. */
const LONGEST_KEY = 128

// As in `qdrant/raw-json.ts`. A constant of another module makes the loop over the bytes slower.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b
/** In ASCII, the code of a closing bracket is that of its opening bracket plus 2. */
const TO_CLOSER = 2

interface Frame<Node> {
  node: Node
  isObject: boolean
  start: number
  /** Of the part that is being read. */
  key: string
  index: number
}

/**
 * Visits the parts of JSON in UTF-8 bytes in one pass, in steps, without decoding them. In valid JSON it finds exactly the parts,
 * duplicate keys included. In other bytes it finds some parts.
 * @param root what the visitor calls the whole
 * @returns false when the bytes cannot be JSON: a value or a bracket is missing, or one is too many. Parts that were skipped are not looked at
 */
export function* scanJson<Node>(bytes: Buffer, root: Node, visitor: JsonVisitor<Node>): Steps<boolean> {
  const scan = new ValueScan(bytes)
  const frames: Frame<Node>[] = []
  let at = afterSpace(bytes, 0)
  while (at < bytes.length) {
    if (scan.isPauseDue(at)) yield
    const frame = frames.at(-1)
    if (frame?.isObject) {
      const keyStart = at
      scan.begin(at)
      while (!scan.run()) yield
      const colon = afterSpace(bytes, scan.at)
      if (bytes[colon] !== COLON) return false
      frame.key = keyOf(bytes, keyStart, scan.at)
      at = afterSpace(bytes, colon + 1)
    }
    const node = frame === undefined ? root : visitor.enter(frame.node, frame.key, frame.index)
    const opening = bytes[at]
    const isContainer = opening === OPEN_BRACE || opening === OPEN_BRACKET
    if (node !== null && isContainer) {
      frames.push({ node, isObject: opening === OPEN_BRACE, start: at, key: '', index: 0 })
      at = afterSpace(bytes, at + 1)
      if (bytes[at] !== opening + TO_CLOSER) continue
    } else {
      const start = at
      scan.begin(at)
      while (!scan.run()) yield
      at = scan.at
      if (at === start) return false
      if (frame !== undefined) visitor.leave(frame.node, frame.key, frame.index, { start, end: at })
    }
    // After a part: the next one, or the end of the containers that end here.
    for (;;) {
      const inner = frames.at(-1)
      at = afterSpace(bytes, at)
      if (inner === undefined) return at === bytes.length
      if (bytes[at] === COMMA) {
        inner.index++
        at = afterSpace(bytes, at + 1)
        break
      }
      if (bytes[at] !== (inner.isObject ? OPEN_BRACE : OPEN_BRACKET) + TO_CLOSER) return false
      at++
      frames.pop()
      const outer = frames.at(-1)
      if (outer !== undefined) visitor.leave(outer.node, outer.key, outer.index, { start: inner.start, end: at })
    }
  }
  return false
}

/** Text of a value, at most `limit` bytes of it. */
export function textOf(bytes: Buffer, { start, end }: Span, limit: number): string {
  return bytes.toString('utf8', start, Math.min(end, start + limit))
}

/** Finds the end of a value in several runs. */
class ValueScan {
  readonly #bytes: Buffer
  #pauseAt = STRIDE
  #depth = 0
  #inString = false
  /** The next byte; after the last run, the end of the value. */
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  begin(at: number): void {
    this.at = at
    this.#depth = 0
    this.#inString = false
  }

  /** Whether enough was read since the last pause. */
  isPauseDue(at: number): boolean {
    const isDue = at >= this.#pauseAt
    if (isDue) this.#pauseAt = at + STRIDE
    return isDue
  }

  /** Goes on for a while. Returns whether the value, or the text, ends. */
  run(): boolean {
    const bytes = this.#bytes
    const limit = Math.min(this.#pauseAt, bytes.length)
    let at = this.at
    let depth = this.#depth
    let inString = this.#inString
    let isDone = false
    while (at < limit && !isDone) {
      const byte = bytes[at++]
      if (inString) {
        if (byte === BACKSLASH) at++
        else if (byte === QUOTE) {
          inString = false
          isDone = depth === 0
        }
      } else if (byte === QUOTE) inString = true
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
      else if (byte === OPEN_BRACE + TO_CLOSER || byte === OPEN_BRACKET + TO_CLOSER) {
        // At depth 0 it closes the container of a number or a word, which ends before it.
        if (depth === 0) at--
        isDone = depth <= 1
        depth--
      } else if (depth === 0 && (byte === COMMA || byte === COLON || isSpace(byte))) {
        at--
        isDone = true
      }
    }
    this.at = at
    this.#depth = depth
    this.#inString = inString
    if (isDone || at >= bytes.length) return true
    this.#pauseAt = at + STRIDE
    return false
  }
}

/** It does not pause: 30 MB of white space take less time than copying them did. */
function afterSpace(bytes: Buffer, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function keyOf(bytes: Buffer, start: number, end: number): string {
  const text = textOf(bytes, { start, end }, LONGEST_KEY)
  if (!text.includes('\\')) return text.slice(1, -1)
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
