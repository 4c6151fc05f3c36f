import { isAlias, isMap, isScalar, parseDocument, visit } from 'yaml'
import { parseJson } from '../../qdrant/json.ts'
import { elements, kindOf, members } from '../../qdrant/raw-json.ts'

export type FileFormat = 'yaml' | 'json'

/** The time of the YAML parser can grow with the square of a text; it holds the process while it reads. */
export const MOST_BYTES: Readonly<Record<FileFormat, number>> = { yaml: 1024 * 1024, json: 8 * 1024 * 1024 }
/** Filters have a few levels, and everything else has five. */
const DEEPEST = 64
const MOST_FAULTS = 20
/** The parser's own search for duplicate keys compares each key of a mapping with all others. */
export const YAML_OPTIONS = {
  schema: 'core',
  uniqueKeys: false,
  stringKeys: true,
  intAsBigInt: true,
  logLevel: 'error',
} as const

/** `.json` is JSON; every other name is YAML. */
export function formatOf(path: string): FileFormat {
  return path.toLowerCase().endsWith('.json') ? 'json' : 'yaml'
}

/**
 * Parses the text of a file so that it can mean one thing only: UTF-8, no duplicate keys, no aliases of YAML, no control
 * characters, no numbers that are not finite. Integers beyond 2^53 are bigint. Never throws.
 * @returns the value, or every fault. No fault shows a part of the text, which can hold secrets.
 */
export function parseFile(bytes: Uint8Array, format: FileFormat): { value: unknown; faults: string[] } {
  const fault = (message: string) => ({ value: null, faults: [message] })
  if (bytes.length > MOST_BYTES[format]) {
    const hint = format === 'yaml' ? '; a larger file must be JSON, with a name that ends with .json' : ''
    return fault(`is longer than ${MOST_BYTES[format]} bytes${hint}`)
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fault('is not UTF-8')
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in the file
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u.exec(text)
  if (control) return fault(`line ${lineAt(text, control.index)}: a control character`)
  try {
    return format === 'json' ? { value: jsonValue(text, DEEPEST), faults: [] } : yamlValue(text)
  } catch (error) {
    const message = error instanceof RangeError ? 'nested too deep' : (error as Error).message
    return fault(`is not ${format === 'json' ? 'JSON' : 'YAML'}: ${firstLine(message)}`)
  }
}

function yamlValue(text: string): { value: unknown; faults: string[] } {
  const document = parseDocument(text, YAML_OPTIONS)
  const faults = [...document.errors, ...document.warnings].map(({ code, message }) =>
    code === 'MULTIPLE_DOCS' ? 'has more than one YAML document' : `is not YAML: ${firstLine(message)}`,
  )
  const lineOf = (node: { range?: readonly number[] | null }) => `line ${lineAt(text, node.range?.[0] ?? 0)}`
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) faults.push(`${lineOf(node)}: aliases are not supported: repeat the value`)
      if (!isMap(node)) return undefined
      const keys = new Set<unknown>()
      for (const { key } of node.items) {
        const name = isScalar(key) ? key.value : null
        if (name === null) faults.push(`${lineOf(node)}: a key must be text`)
        else if (keys.has(name)) faults.push(`${lineOf(isScalar(key) ? key : node)}: the key ${name} is there twice`)
        keys.add(name)
      }
      return faults.length > MOST_FAULTS ? visit.BREAK : undefined
    },
  })
  if (faults.length > 0) return { value: null, faults: faults.slice(0, MOST_FAULTS) }
  return plainValue(document.toJS())
}

/** Integers as numbers where a double holds them. @returns faults for what JSON cannot hold */
function plainValue(parsed: unknown): { value: unknown; faults: string[] } {
  const faults: string[] = []
  const plain = (value: unknown, path: string, levels: number): unknown => {
    if (levels < 0) throw new RangeError('nested too deep')
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
    if (typeof value === 'number' && !Number.isFinite(value)) faults.push(`${path}: must be a finite number`)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item, index) => plain(item, `${path}[${index}]`, levels - 1))
    if (Object.getPrototypeOf(value) !== Object.prototype) faults.push(`${path}: is of a kind that JSON does not have`)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        plain(inner, path === '' ? key : `${path}.${key}`, levels - 1),
      ]),
    )
  }
  const value = plain(parsed, '', DEEPEST)
  return { value, faults: faults.slice(0, MOST_FAULTS) }
}

/** `JSON.parse` takes the last of duplicate keys; here they are an error. @throws Error on malformed JSON */
function jsonValue(raw: string, levels: number): unknown {
  if (levels < 0) throw new RangeError('nested too deep')
  const kind = kindOf(raw.trimStart())
  if (kind === 'object')
    return Object.fromEntries([...members(raw)].map(([key, inner]) => [key, jsonValue(inner, levels - 1)]))
  if (kind === 'array') return elements(raw).map(inner => jsonValue(inner, levels - 1))
  const value = parseJson(raw)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('a number is beyond the range of a double')
  return value
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.replace(/:$/u, '') ?? ''
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
