/** What a terminal would obey: all control characters but the line end and the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu

/** The texts of documents and clients as a terminal may get them. */
export function terminalText(text: string): string {
  return text.replace(CONTROLS, '\uFFFD')
}
