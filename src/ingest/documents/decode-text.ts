import { decodeFile } from '../text-files.ts'
import type { ConversionFault } from './converted.ts'

/** A text whose lines end in LF. */
interface DecodedText {
  text: string
  /** What is wrong with its bytes, as the end of a sentence that begins with the name of the file; null when nothing is. */
  warning: string | null
}

/** Decodes a format that is text, as text files are decoded; a fault when the bytes are no text. */
export function decodeText(bytes: Uint8Array): DecodedText | ConversionFault {
  const { text, kind, ...decoded } = decodeFile(bytes)
  if (text === null) return { fault: kind, reason: `is ${kind}` }
  return { text: text.replace(/\r\n?/g, '\n'), warning: 'fault' in decoded ? decoded.fault : null }
}
