import { badRequest, type StowageError } from '../../../core/errors.ts'
import { shown } from '../body/refusals.ts'

/** A request target that can be read in one way only. */
export interface RequestTarget {
  /** Decoded parts of the path; none for `/`. */
  readonly segments: readonly string[]
  /** Decoded query parameters in their order. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Printable ASCII, as HTTP demands, without the two characters that servers read differently. */
const TARGET = /^\/[!"$-[\]-~]*$/
const PARAMETER = /^([^=]+)=(.*)$/
const PARAMETER_VALUE = /^[\w,.-]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const AMBIGUOUS_CHARACTERS = /[/\\\u0000-\u001f\u007f]|%[0-9a-f]{2}/i

/**
 * Reads a raw request target strictly: what servers read in different ways is refused, never guessed.
 * @throws StowageError `bad_request`
 */
export function readTarget(target: string): RequestTarget {
  if (!TARGET.test(target)) throw refused('it must be a path of printable ASCII without backslash and #')
  const question = target.indexOf('?')
  const [path, query] = question < 0 ? [target, ''] : [target.slice(0, question), target.slice(question + 1)]
  return { segments: readSegments(path), parameters: readParameters(query) }
}

/** The only spelling of a target that is sent to Qdrant. */
export function printTarget({ segments, parameters }: RequestTarget): string {
  return `/${segments.map(encodeURIComponent).join('/')}${printParameters(parameters)}`
}

/** With its `?`; '' for none. */
export function printParameters(parameters: ReadonlyMap<string, string>): string {
  const printed = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return printed.length === 0 ? '' : `?${printed.join('&')}`
}

/** Qdrant ignores one slash at the end. */
function readSegments(path: string): string[] {
  const raw = path.slice(1).split('/')
  if (raw.at(-1) === '') raw.pop()
  return raw.map(readSegment)
}

function readSegment(raw: string): string {
  const segment = decode(raw)
  if (segment === '') throw refused('it has two slashes in a row')
  if (segment === '.' || segment === '..') throw refused('it has a segment of dots')
  if (AMBIGUOUS_CHARACTERS.test(segment))
    throw refused('a segment holds a slash, a control character, or is encoded twice')
  return segment
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  if (query === '') return parameters
  for (const part of query.split('&')) {
    const [, rawName = '', rawValue = ''] = PARAMETER.exec(part) ?? []
    const [name, value] = [decode(rawName), decode(rawValue)]
    if (name === '') throw refused('a query parameter has no name or no value')
    if (parameters.has(name)) throw refused(`the query parameter ${shown(JSON.stringify(name))} is repeated`)
    if (!PARAMETER_VALUE.test(value)) throw refused(`the value of ${shown(JSON.stringify(name))} is not plain`)
    parameters.set(name, value)
  }
  return parameters
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw refused('its percent-encoding is broken')
  }
}

function refused(reason: string): StowageError {
  return badRequest(`The request target is refused: ${reason}.`)
}
