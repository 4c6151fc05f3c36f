import { z } from 'zod'
import { strictObject, unknownName } from '../../core/schema-faults.ts'
import { planChangesSchema } from '../../pipeline/plan/changes.ts'
import { LONGEST_COLLECTION_NAME, NEVER_IN_COLLECTION_NAMES } from '../../qdrant/paths.ts'
import { plainUrl } from '../context-endpoints.ts'
import { ALLOWABLE_OPERATIONS } from '../guard/routes/table.ts'

const OPERATIONS = [...ALLOWABLE_OPERATIONS.keys()]

const described = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description })

/** The message of a value of the wrong type, or of none. */
const orMissing = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : message),
})
const text = (what: string) => z.string(orMissing(`must be ${what}`))
const onOff = z.boolean('must be true or false')
const wholeNumber = z.int('must be a whole number of 1 or more').min(1, 'must be a whole number of 1 or more')

const collectionPattern = text('the name of a collection; * stands for any characters')
  .min(1, 'must not be empty')
  .max(LONGEST_COLLECTION_NAME, `must have at most ${LONGEST_COLLECTION_NAME} characters`)
  .refine(
    name => !NEVER_IN_COLLECTION_NAMES.test(name),
    'no collection of Qdrant has one of < > : " / \\ | ? in its name',
  )

const key = strictObject({
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

export const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/u
const FIELD_PATH = /^[\w-]+(?:\.[\w-]+)*$/u

/** A tenant as the file declares it. */
export const tenantSchema = strictObject({
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
  context_endpoints: described(
    z
      .array(
        text('a URL').refine(
          given => plainUrl(given) !== null,
          'must be an http or https URL without user, query and fragment, such as https://api.openai.com/v1',
        ),
        orMissing('must be a list of URLs'),
      )
      .default([]),
    'Endpoints of language models that texts of the tenant may be sent to, for contexts: base URLs, and all that is below them. Default: none.',
  ),
  plan: described(
    planChangesSchema.optional(),
    'Values of the plan that differ for this tenant, by their paths or variables.',
  ),
  rate_limit: described(
    strictObject({
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

export type TenantDeclaration = z.infer<typeof tenantSchema>
export const operatorsSchema = keys
export const TOP_KEYS: readonly string[] = ['operators', 'tenants']

/** The whole file, for its JSON Schema. Faults of one tenant must not hide those of others, so they are parsed one by one. */
export const tenantsFileSchema = strictObject({
  operators: described(
    keys.optional(),
    'Keys that may read the metrics, read and reset experiments, and start jobs at /mcp. Without any, nobody may.',
  ),
  tenants: described(z.record(z.string().regex(TENANT_NAME), tenantSchema), 'The tenants by name.'),
})
