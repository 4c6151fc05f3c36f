import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { messageOf } from '../core/errors.ts'
import { readKillSwitch } from '../flags/kill-switch.ts'
import { PLAN_NAMES } from '../pipeline/plan/plan.ts'
import { type PayloadMappings, parseMappings } from '../qdrant/payload/mappings.ts'
import { isPlanFile } from './plan-file.ts'

/** A setting with its description. */
export const setting = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description })
/** A key that goes into a header. Files of secrets often end with a line break, which is no part of it. */
const key = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .regex(/^[\x20-\x7e\xa0-\xff]*$/u, 'must not have a line break, or another sign that no header can hold')
/** A key whose value is never shown. */
export const secret = (description: string) => key.optional().meta({ description, secret: true })
export const text = z.string().min(1)
/** An http or https URL without a user. */
export const url = z
  .url({ protocol: /^https?$/u, error: 'must be a URL with http:// or https://' })
  .refine(
    hasNoUser,
    'must not contain a user or password: stowage does not send them, and a URL is no place for a secret',
  )
/** A URL that paths are put behind. What stood behind the path would be lost, or the path would come behind it. */
export const baseUrl = url.refine(given => !/[?#]/u.test(given), 'must not have a query or a fragment')
/** Each address is a label of metrics, so their number is bounded. */
const MOST_URLS = 16
/** Addresses between commas, each once. */
export const urls = text.transform((given, context): readonly string[] => {
  const all = given.split(',').map(one => one.trim())
  const faults = all.map((one, at) => {
    const fault = url.safeParse(one).error?.issues[0]?.message
    return fault === undefined || all.length === 1 ? fault : `address ${at + 1} ${fault}`
  })
  const problem =
    faults.find(fault => fault !== undefined) ??
    (all.length > MOST_URLS ? `must have at most ${MOST_URLS} addresses` : null) ??
    (new Set(all.map(one => new URL(one).href)).size < all.length ? 'must not name an address twice' : null)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  return all
})
/**
 * The URL of an endpoint of embeddings without the version of its API, or `local`. The paths of requests, which have the version, are put
 * behind it.
 */
export const relayTarget = text.transform((given, context): string => {
  if (given === 'local') return given
  const problem =
    url.safeParse(given).error?.issues[0]?.message ?? (/[?#]/u.test(given) ? 'must not have a query' : null)
  if (problem !== null) context.addIssue({ code: 'custom', message: `${problem}; a base URL or local is needed` })
  return given.replace(/\/v\d+\/?$/u, '')
})
/** The URL of a Redis or Valkey. It can hold a password, so it is never shown. */
export const redisUrl = z
  .url({ protocol: /^rediss?$/u, error: 'must be a URL such as redis://:password@host:6379 (rediss:// for TLS)' })
  .refine(
    given => !URL.canParse(given) || /^\/?\d*$/u.test(new URL(given).pathname),
    'must have the number of a database as its path, or none',
  )
  .optional()
/** A key of AES-256: 32 bytes as hexadecimal digits or as base64. */
export const encryptionKey = z
  .string()
  .trim()
  .transform(given => Buffer.from(given, /^[0-9a-f]{64}$/iu.test(given) ? 'hex' : 'base64'))
  .refine(bytes => bytes.byteLength === 32, 'must be 32 bytes as hexadecimal digits or base64: openssl rand -hex 32')
  .optional()
export const onOff = z.stringbool({ truthy: ['on', '1', 'true'], falsy: ['off', '0', 'false'], case: 'sensitive' })
/** A whole number from `least` to `most`. */
export const wholeNumber = (least: number, most: number) =>
  z.string().regex(/^\d+$/u, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
/** A number of processes, or `auto` for one for each core. */
export const workerCount = z
  .string()
  .regex(/^(?:\d+|auto)$/u, 'must be a whole number, or auto')
  .transform(given => (given === 'auto' ? availableParallelism() : Number(given)))
  .pipe(z.number().min(1).max(256))
/** Milliseconds of silence after which a worker hangs: at least four beats. 0 is off. */
export const hangLimit = wholeNumber(0, 3_600_000).refine(ms => ms === 0 || ms >= 2_000, 'must be 0, or at least 2000')
/** US dollars, such as 0.5. */
export const dollars = z
  .string()
  .regex(/^\d+(?:\.\d+)?$/u, 'must be a number of US dollars such as 0.5')
  .transform(Number)
/** Names between commas. */
export const names = text.transform(given =>
  given
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== ''),
)
/** Pairs of collections, `docs=docs-contextual,faq=faq-contextual`: the second one by the first. */
export const collectionPairs = names.transform((pairs, context): ReadonlyMap<string, string> => {
  const read = new Map<string, string>()
  for (const pair of pairs) {
    const [, from, to] = /^([^=]+)=([^=]+)$/u.exec(pair) ?? []
    const problem =
      from === undefined || to === undefined
        ? 'is no pair such as docs=docs-contextual'
        : read.has(from)
          ? 'names a collection twice'
          : null
    if (problem !== null) context.addIssue({ code: 'custom', message: `${pair} ${problem}` })
    else if (from !== undefined && to !== undefined) read.set(from, to)
  }
  return read
})

/** The keys of flags that are off, whatever any source says. */
export const flagsOff = text.transform((given, context): ReadonlySet<string> => {
  const { off, faults } = readKillSwitch(given)
  for (const message of faults) context.addIssue({ code: 'custom', message })
  return off
})

/** The name of a plan, or the path of a plan file. */
export const planSource = text.refine(
  given => isPlanFile(given) || PLAN_NAMES.some(name => name === given),
  `must be ${PLAN_NAMES.join(', ')}, or the path of a plan file such as ./plans/tuned.json`,
)

/** JSON in the variable itself, or the path of a file with it. */
export const mappings = text.transform((given, context): PayloadMappings => {
  const read = given.trimStart().startsWith('{') ? parseMappings(given) : readMappingsFile(given)
  for (const message of read.faults) context.addIssue({ code: 'custom', message })
  return read.mappings
})

function readMappingsFile(path: string): ReturnType<typeof parseMappings> {
  let json: string
  try {
    json = readFileSync(path, 'utf8')
  } catch (error) {
    return { mappings: {}, faults: [`cannot be read: ${messageOf(error)}`] }
  }
  return parseMappings(json)
}

function hasNoUser(value: string): boolean {
  return !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === '')
}
