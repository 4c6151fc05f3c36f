import { InvalidArgumentError } from 'commander'
import { url } from '../config/fields.ts'

/**
 * Parses a number from `least` to `most`; `whole: false` allows fractions.
 * The parsers here throw InvalidArgumentError, which commander prints with the name of the option.
 */
export function numberOption(
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  { whole = true } = {},
): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  return text => {
    const value = Number(text)
    const isNumber = /^\d*\.?\d+$/u.test(text.trim()) && (!whole || Number.isInteger(value))
    if (isNumber && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a ${whole ? 'whole ' : ''}number ${range}, got ${JSON.stringify(text)}.`)
  }
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a value that is not empty.')
  return text
}

/** Parses the path of a file or a folder. Another option in its place means that the path was forgotten. */
export function pathOption(text: string): string {
  if (!text.startsWith('--')) return nonEmpty(text)
  throw new InvalidArgumentError(`Expected a path, got the option ${text}; ./${text} is a file of this name.`)
}

/** Parses the address of a server. */
export function urlOption(text: string): string {
  const { success, data, error } = url.safeParse(text)
  if (success) return data
  throw new InvalidArgumentError(`It ${error.issues[0]?.message ?? 'is no URL'}, got ${JSON.stringify(text)}.`)
}

/** Collects the values of an option that can be given several times. */
export function collected(text: string, before: readonly string[]): string[] {
  return [...before, text]
}

/** Parses values between commas. */
export function listOption<Value>(parse: (text: string) => Value): (text: string) => Value[] {
  return text => text.split(',').map(value => parse(value.trim()))
}

/** Parses a name of a tenant or a project. */
export function nameOption(pattern: RegExp): (text: string) => string {
  return text => {
    if (pattern.test(text)) return text
    throw new InvalidArgumentError('A name has up to 64 letters, digits, dots, dashes and underscores.')
  }
}

/** What `--url` and `--api-key` give; the settings have the rest. */
export interface Address {
  url?: string
  apiKey?: string
}

/** The meanings of the two options. */
export const ADDRESS_URL = 'address of Qdrant or stowage (default: QDRANT_URL, else the folder EMBEDDED_PATH)'
export const ADDRESS_KEY = 'key for this address (default: QDRANT_API_KEY)'

/** The address among other options, without empty values. */
export function addressOf({ url, apiKey }: Address): Address {
  return { ...(url && { url }), ...(apiKey && { apiKey }) }
}
