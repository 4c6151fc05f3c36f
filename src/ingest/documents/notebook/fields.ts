/** An object of JSON whose fields may hold anything. */
export type Fields = Readonly<Record<string, unknown>>

/** The object itself; one without fields when the value is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** The items; none when the value is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text, which notebooks write as one string or as lines with their ends, with LF at its line ends; '' when the value is neither. */
export function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.filter(line => typeof line === 'string').join('') : value
  return typeof text === 'string' ? text.replace(/\r\n/g, '\n') : ''
}
