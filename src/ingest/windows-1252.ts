/** What the bytes 0x80 to 0x9F are (Encoding Standard, "index windows-1252"); those that are not defined stay control characters. */
const UPPER =
  '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178'
const FIRST_UPPER = 0x80

/** Decodes Windows-1252. The `TextDecoder` of some versions of Node decodes Latin-1 instead, in which euro signs, dashes and curved quotation marks are control characters. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin.replace(/[\x80-\x9F]/g, sign => UPPER[sign.charCodeAt(0) - FIRST_UPPER] ?? sign)
}
