import { decodeWindows1252 } from '../../windows-1252.ts'

/** Bytes in which HTML declares its encoding (HTML standard, "prescan a byte stream"). */
const PRESCAN = 1_024

/** What programs on a server write before a page. */
const HEADER = /^\s*content-type:[^\n<]{0,200}\n/i

/**
 * Decodes HTML: by its byte order mark, else by its `meta` element, else as UTF-8, else as Windows-1252. Text with the signs of Windows-1252 is
 * no valid UTF-8, so a page that declares it and is UTF-8 has a wrong declaration. A header of HTTP above the page is left out.
 */
export function decodeHtml(bytes: Uint8Array): string {
  return decoded(bytes).replace(HEADER, '')
}

function decoded(bytes: Uint8Array): string {
  const mark = markOf(bytes)
  if (mark) return new TextDecoder(mark).decode(bytes)
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN))
  const label = /<meta[^>]{0,300}charset\s*=\s*["']?\s*([\w:-]+)/i.exec(start)?.[1]
  const declared = label === undefined ? null : decoderFor(label)
  if (declared && declared.encoding !== 'windows-1252') return declared.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return decodeWindows1252(bytes)
  }
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** Null for an unknown label. A `meta` element can be read as ASCII, so UTF-16 in it means UTF-8. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding.startsWith('utf-16') ? new TextDecoder() : decoder
  } catch {
    return null
  }
}
