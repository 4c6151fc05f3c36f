import { z } from 'zod'
import { closestName } from '../../core/closest-name.ts'
import { PLAN_VALUES } from '../../pipeline/plan/plan-values.ts'
import { ALLOWABLE_OPERATIONS } from '../operations.ts'

const OPERATIONS = [...ALLOWABLE_OPERATIONS.keys()]

const described = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description })

/** An object without other keys. A wrong key is named together with the one that was probably meant. */
function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: issue => {
      if (issue.code !== 'unrecognized_keys') return issue.input === undefined ? 'is missing' : 'must be a mapping'
      return issue.keys.map(key => unknownName(key, 'key', known)).join('; ')
    },
  })
}

function unknownName(name: string, kind: string, known: readonly string[]): string {
  const meant = closestName(name, known)
  return `unknown ${kind} ${name}${meant === null ? `; known are: ${known.join(', ')}` : `; did you mean ${meant}?`}`
}

/** The message of a value of the wrong type, or of none. */
const orMissing = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : message),
})
const text = (what: string) => z.string(orMissing(`must be ${what}`))
const onOff = z.boolean('must be true or false')
const wholeNumber = z.int('must be a whole number of 1 or more').min(1, 'must be a whole number of 1 or more')

const LONGEST_NAME = 255
/** Qdrant refuses these in names of collections; `*` is the one character that patterns have besides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Qdrant refuses
const NEVER_IN_NAMES = /[<>:"/\\|?\u0000\u001f]/u
const collectionPattern = text('the name of a collection; * stands for any characters')
  .min(1, 'must not be empty')
  .max(LONGEST_NAME, `must have at most ${LONGEST_NAME} characters`)
  .refine(name => !NEVER_IN_NAMES.test(name), 'no collection of Qdrant has one of < > : " / \\ | ? in its name')

const key = strict({
  sha256: described(
    text('text: the SHA-256 of a key, in quotes').regex(
      /^[0-9a-fA-F]{64}$/u,
      'must be the 64 hexadecimal digits of a SHA-256',
    ),
    'SHA-256 of the key in hexadecimal digits. `stowage tenants new` makes a key and its hash.',
  ),
  note: described(text('text').optional(), 'For people, for example the month of a rotation.'),
})
const keys = z.array(key, orMissing('must be a list of { sha256: … }'))

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be text, a number, true, false or null')
/** The names of plan values: their paths, and the variables that set them. */
export const PLAN_NAMES_IN_FILE: readonly string[] = [
  'STOWAGE_PLAN',
  ...PLAN_VALUES.flatMap(({ path, variable }) =>
    path === 'name' ? [] : variable === null ? [path] : [path, variable],
  ),
]
const plan = strict(
  Object.fromEntries(PLAN_NAMES_IN_FILE.map(name => [name, scalar.optional()] as const)) as Record<
    string,
    z.ZodOptional<typeof scalar>
  >,
)

export const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/u
export const FIELD_PATH = /^[\w-]+(?:\.[\w-]+)*$/u

const tenant = strict({
  keys: described(keys, 'Keys of the tenant. Several make a rotation possible; an empty list locks the tenant out.'),
  collections: described(
    z.array(collectionPattern, orMissing('must be a list of names')),
    'Collections that the tenant reaches: names, or patterns in which * stands for any characters.',
  ),
  whole_collections: described(
    onOff.default(false),
    'The collections belong to this tenant alone, so no condition is forced on its requests.',
  ),
  field: described(
    text('a path of plain names, or null')
      .regex(FIELD_PATH, 'must be a path of plain names, such as tenant or metadata.tenant')
      .nullable()
      .optional(),
    'Path of the payload field that marks the points of the tenant. Default: tenant. null: there is none, and the tenant only reads.',
  ),
  value: described(
    text('text; put a number in quotes').min(1, 'must not be empty').optional(),
    'Value of that field. Default: the name of the tenant.',
  ),
  filter: described(
    z.record(z.string(), z.unknown(), 'must be a filter of Qdrant').optional(),
    'A filter of Qdrant that all points of the tenant meet besides.',
  ),
  upstream_key: described(
    text('text').min(1, 'must not be empty').optional(),
    'Key for Qdrant. Better: upstream_key_env.',
  ),
  upstream_key_env: described(
    text('the name of a variable').min(1, 'must not be empty').optional(),
    'Environment variable with the key for Qdrant. Without a key, none is sent.',
  ),
  read_only: described(onOff.default(false), 'Refuse writes.'),
  allow: described(
    z
      .array(
        z.enum(OPERATIONS as [string, ...string[]], {
          error: ({ input }) =>
            typeof input === 'string'
              ? unknownName(input, 'operation', OPERATIONS)
              : 'must be the name of an operation',
        }),
        'must be a list of operations',
      )
      .default([]),
    'Operations of Qdrant besides those on points, by their names in its OpenAPI description.',
  ),
  plan: described(plan.optional(), 'Values of the plan that differ for this tenant, by their paths or variables.'),
  rate_limit: described(
    strict({
      per_second: z
        .number('must be a number above 0')
        .positive('must be a number above 0')
        .max(1e6, 'must be at most 1000000'),
      burst: wholeNumber,
    }).optional(),
    'Requests per second over time, and at once. Default: no limit.',
  ),
  concurrency: described(wholeNumber.optional(), 'Requests in flight. Default: no limit.'),
})

/** A tenant as the file declares it. */
export type TenantDeclaration = z.infer<typeof tenant>
export const tenantSchema = tenant
export const operatorsSchema = keys
export const TOP_KEYS = ['operators', 'tenants'] as const

/** The whole file, for its JSON Schema. Faults of one tenant must not hide those of others, so they are parsed one by one. */
export const tenantsFileSchema = strict({
  operators: described(keys.optional(), 'Keys that may read the metrics. Without any, nobody may.'),
  tenants: described(z.record(z.string().regex(TENANT_NAME), tenant), 'The tenants by name.'),
})
