const SCHEME = /^[a-z][a-z\d+.-]*:(?:\/\/)?/i
/** Shorter ones could be found in other text. */
const SHORTEST = 8

/**
 * The lines whose end stands within an address, by their places, as they are written before the next line without a space. A file names the
 * addresses of its links, so that one in the text is known where it goes on in the next line, also when a hyphen that is not its own parts
 * it.
 *
 * @param forms how the addresses can stand in the text, see `addressForms`
 */
export function brokenAddresses(lines: readonly string[], forms: readonly string[]): Map<number, string> {
  const broken = new Map<number, string>()
  if (lines.length < 2 || forms.length === 0) return broken
  const trimmed = lines.map(line => line.trim())
  const unhyphened = trimmed.map(line => line.replace(/[-\u2010\u00AD]$/u, ''))
  // As the lines are written counts most.
  for (const texts of [unhyphened, trimmed])
    for (const line of endsWithin(forms, texts)) broken.set(line, texts[line] as string)
  return broken
}

/** The places of the lines that end within one of the forms. */
function* endsWithin(forms: readonly string[], lines: readonly string[]): Generator<number> {
  const text = lines.join('')
  let length = 0
  const ends = lines.map(line => {
    length += line.length
    return length
  })
  for (const form of forms) {
    let line = 0
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
      while ((ends[line] ?? text.length) <= at) line += 1
      for (; (ends[line] ?? text.length) < at + form.length; line += 1) yield line
    }
  }
}

/** How addresses can stand in a text, each form once: it may leave out the scheme and the last slash. */
export function addressForms(addresses: readonly string[]): string[] {
  const forms = addresses.flatMap(address => {
    const whole = address.replace(/\/$/, '')
    return [whole, whole.replace(SCHEME, '')]
  })
  return [...new Set(forms)].filter(form => form.length >= SHORTEST)
}
