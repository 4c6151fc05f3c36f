import { z } from 'zod'
import { closestName, closestNames } from './closest-name.ts'

/** Longest part of a wrong name or value that a fault shows, in UTF-16 code units. */
const LONGEST_SHOWN = 60
const LONGEST_NAME = 100
const MOST_NAMES = 10
/** Longest list of known names that is shown whole. A longer one would hide the fault. */
const MOST_KNOWN = 40
const CLOSEST_SHOWN = 5

/** An object without other keys. A wrong key is named together with the one that was probably meant. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: issue => {
      if (issue.code !== 'unrecognized_keys') return issue.input === undefined ? 'is missing' : 'must be a mapping'
      return unknownNames(issue.keys, 'key', known)
    },
  })
}

/** `unknown KIND NAME`, with the closest known name, else with all of them, or with some when there are many. */
export function unknownName(name: string, kind: string, known: readonly string[]): string {
  return unknownNames([name], kind, known)
}

function unknownNames(names: readonly string[], kind: string, known: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map(name => {
    const text = `unknown ${kind} ${name.slice(0, LONGEST_NAME)}`
    const meant = name.length > LONGEST_NAME ? null : closestName(name, known)
    return meant === null ? { text, without: name.slice(0, LONGEST_NAME) } : { text: `${text}; did you mean ${meant}?` }
  })
  const texts = shown.map(({ text }) => text)
  if (names.length > MOST_NAMES) texts.push(`and ${names.length - MOST_NAMES} more`)
  const [first] = shown.flatMap(({ without }) => without ?? [])
  if (first !== undefined) texts.push(knownNames(first, known))
  return texts.join('; ')
}

function knownNames(name: string, known: readonly string[]): string {
  return known.length <= MOST_KNOWN
    ? `known are: ${known.join(', ')}`
    : `the closest of ${known.length} are: ${closestNames(name, known, CLOSEST_SHOWN).join(', ')}`
}

/**
 * One line per fault that a schema found: `place=value: message`.
 * @param place where the value stands, such as `tenants.acme`
 * @param isSecret whether the value of a place must not be shown
 */
export function describeIssues(
  error: z.ZodError | undefined,
  place: string,
  value: unknown,
  isSecret: (place: string) => boolean = () => false,
): string[] {
  return (error?.issues ?? []).map(({ path, message, code }) => {
    const wrong = path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value)
    const whole = path.reduce<string>(
      (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
      place,
    )
    const isShown = wrong !== undefined && code !== 'unrecognized_keys'
    return `${whole}${isShown ? `=${isSecret(whole) ? '(not shown)' : shownValue(wrong)}` : ''}: ${message}`
  })
}

/** A value as short JSON. */
function shownValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return '…'
  return shortened(typeof value === 'bigint' || typeof value === 'number' ? String(value) : JSON.stringify(value))
}

/** The beginning of a text, for a message. */
export function shortened(text: string, longest = LONGEST_SHOWN): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
