/** A document as ingest takes it. */
export interface SourceDocument {
  docId: string
  /** '' where the source names none. */
  title: string
  text: string
  /** What was wrong with it, naming its file; it is read all the same. */
  warning?: string
}

const decoder = new TextDecoder('utf-8', { fatal: true })
const replacingDecoder = new TextDecoder('utf-8')

/** Bytes as text without a byte order mark; whatever is not UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): { text: string; isBroken: boolean } {
  try {
    return { text: decoder.decode(bytes), isBroken: false }
  } catch {
    return { text: replacingDecoder.decode(bytes), isBroken: true }
  }
}

const NEWLINE = 0x0a

/** The lines of a stream as bytes, without their newlines; the last one need not end in one. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let begun: Buffer[] = []
  for await (const part of stream) {
    let start = 0
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, start)) {
      begun.push(part.subarray(start, end))
      yield Buffer.concat(begun)
      begun = []
      start = end + 1
    }
    if (start < part.length) begun.push(part.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}
