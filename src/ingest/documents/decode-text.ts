import { decodeFile } from '../text-files.ts'
import type { ConversionFault } from './converted.ts'

/** A text whose lines end in LF. */
export interface DecodedText {
  text: string
  /** What is wrong with its bytes, as the end of a sentence that begins with the name of the file; null when nothing is. */
  warning: string | null
}

/** Decodes a file of text, or of a format that is text; a fault when the bytes are no text. */
export function decodeText(bytes: Uint8Array): DecodedText | ConversionFault {
  const decoded = decodeFile(bytes)
  if (decoded.text === null) return { fault: decoded.kind, reason: `is ${decoded.kind}` }
  return { text: decoded.text.replace(/\r\n?/g, '\n'), warning: decoded.fault }
}
