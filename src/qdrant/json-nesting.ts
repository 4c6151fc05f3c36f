const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])

/**
 * The first field of a JSON object whose value has more than `maxDepth` levels of objects and arrays, 'body' where there is no
 * field to name, null if there is none. Looks at brackets only, so it is fast, needs no stack, and takes anything.
 */
export function fieldNestedBeyond(json: Buffer, maxDepth: number): string | null {
  let depth = 0
  let nameStart = 0
  let nameEnd = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) {
      const end = closingQuote(json, at)
      // Where a value opens on the first level, the string before it was its name.
      if (depth === 1) [nameStart, nameEnd] = [at, end + 1]
      at = end
    } else if (OPEN.has(byte)) {
      if (++depth > maxDepth + 1) return fieldName(json.subarray(nameStart, nameEnd).toString())
    } else if (CLOSE.has(byte)) depth--
  }
  return null
}

/** The quote that ends the string begun at `start`; the last byte if none does. */
function closingQuote(json: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    const quote = json.indexOf(QUOTE, at)
    if (quote < 0) return json.length - 1
    let backslashes = 0
    while (json[quote - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return quote
    at = quote
  }
}

function fieldName(quoted: string): string {
  try {
    return String(JSON.parse(quoted)).slice(0, 100)
  } catch {
    return 'body'
  }
}
