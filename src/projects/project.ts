import { z } from 'zod'
import { describeIssues, strictObject } from '../core/schema-faults.ts'
import { CHUNKINGS } from '../core/types.ts'
import { collectionName } from '../pipeline/context-request.ts'
import { planChangesSchema, readPlanChanges } from '../pipeline/plan/changes.ts'
import { PAYLOAD_FIELDS } from '../qdrant/payload/read-chunk.ts'

/** Version of the format of project files. */
export const PROJECT_VERSION = 1

/** Names are names of files, so they have no separators. */
export const PROJECT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/u

const text = z.string().min(1)
/** Without a user, and without parameters, which can hold a key. */
const address = z.url({ protocol: /^https?$/u }).refine(given => {
  const { username, password, search } = new URL(given)
  return username + password + search === ''
}, 'must not contain a user, a password or parameters: keys belong into variables')

/** How queries and passages become vectors. The key of an endpoint stays in its variable. */
const encoderSchema = strictObject({
  kind: z.enum(['local', 'openai', 'voyage', 'cohere', 'none']),
  model: text.optional(),
  base_url: address.optional(),
  dimensions: z.int().min(1).max(65_536).optional(),
  query_prefix: text.optional(),
  passage_prefix: text.optional(),
})

const chunkingSchema = strictObject({
  strategy: z.enum(CHUNKINGS).optional(),
  tokens: z.int().min(16).max(8_000).optional(),
  overlap: z.number().min(0).max(0.5).optional(),
})

/** The context writer of `stowage ingest --context`, and the file with its prompt. */
const contextSchema = strictObject({
  writer: z.enum(['rules', 'openai', 'anthropic', 'off']),
  prompt_file: text.optional(),
})

const projectSchema = strictObject({
  version: z.literal(PROJECT_VERSION),
  name: z.string().regex(PROJECT_NAME, 'must have up to 64 letters, digits, dots, dashes and underscores'),
  created_at: z.iso.datetime(),
  collection: collectionName,
  chunking: chunkingSchema.optional(),
  encoder: encoderSchema.optional(),
  context: contextSchema.optional(),
  /** Plan values that differ from the plan of the process. */
  plan: planChangesSchema.optional(),
  /** Payload paths of a collection that stowage has not written, by field. */
  mapping: strictObject(Object.fromEntries(PAYLOAD_FIELDS.map(field => [field, text.optional()]))).optional(),
})

/** A named bundle of all that belongs to a collection. It holds no keys. */
export type Project = z.infer<typeof projectSchema>
export type ProjectEncoder = z.infer<typeof encoderSchema>

/** Finds a project as it is now; null for an unknown name. Rejects with a StowageError when its file cannot be used. */
export type FindProject = (name: string) => Promise<Project | null>

/**
 * Checks the content of a project file.
 * @param place what the faults begin with
 * @returns the project, or one line per fault
 */
export function readProject(
  value: unknown,
  place: string,
): { project: Project; faults: [] } | { project: null; faults: string[] } {
  const { data, error } = projectSchema.safeParse(value)
  if (data === undefined) return { project: null, faults: describeIssues(error, place, value) }
  const { faults } = readPlanChanges(data.plan ?? {}, `${place}.plan`, null)
  return faults.length > 0 ? { project: null, faults } : { project: data, faults: [] }
}
