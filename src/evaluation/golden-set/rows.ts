import { z } from 'zod'
import { INTENTS, type JsonObject, type PointId } from '../../core/types.ts'
import { isObject, parseJson } from '../../qdrant/json.ts'
import { readPointIdText } from '../../tenants/guard/body/point-id.ts'
import { SPLITS } from './split.ts'

/** A whole number, digits of one, or a UUID in any spelling of Qdrant; equal ids become equal values. */
const pointId = z
  .custom<number | bigint | string>(
    value => ['number', 'bigint', 'string'].includes(typeof value),
    'must be a point id',
  )
  .transform((value, context): PointId => {
    try {
      return parseJson(readPointIdText(String(value))) as PointId
    } catch {
      context.addIssue('must be an unsigned integer or a UUID')
      return z.NEVER
    }
  })

// Strict, because a misspelt `start` would silently turn a span into a whole document.
const goldRow = z
  .strictObject({
    doc_id: z.string().min(1).optional(),
    section_path: z.string().min(1).optional(),
    start: z.int().min(0).optional(),
    end: z.int().min(0).optional(),
    /** A list is one passage that several points hold together. */
    point_id: z
      .union([pointId.transform(id => [id]), z.array(pointId).min(1)], 'must be a point id, or a list of them')
      .optional(),
    /** Alone: the passage, wherever it stands. Beside a place: what stood there when the gold was marked. */
    text: z.string().trim().min(1).optional(),
    grade: z.number().positive().optional(),
  })
  .refine(({ doc_id, point_id, text }) => (doc_id ?? point_id ?? text) !== undefined, 'give doc_id, point_id or text')
  .refine(({ doc_id, point_id }) => doc_id === undefined || point_id === undefined, 'give doc_id or point_id, not both')
  .refine(
    ({ doc_id, ...gold }) => doc_id !== undefined || (gold.section_path ?? gold.start ?? gold.end) === undefined,
    'section_path, start and end need a doc_id',
  )
export type GoldRow = z.infer<typeof goldRow>

const filter = z.custom<JsonObject>(isObject, "must be an object: a filter in Qdrant's shape")

const NO_GOLD =
  'must be a list with a gold passage; a question that nothing answers belongs into unanswerable.jsonl, which only --verdicts asks'

export const queryRow = z.object({
  id: z.string().min(1),
  query: z.string().trim().min(1),
  tenant: z.string().min(1).nullable().default(null),
  filter: filter.nullable().default(null),
  split: z.enum(SPLITS).nullable().default(null),
  intent: z.enum(INTENTS).nullable().default(null),
  grade: z.union([z.string(), z.number()]).transform(String).nullable().default(null),
  answer: z.string().nullable().default(null),
  gold: z.array(goldRow, NO_GOLD).min(1, NO_GOLD),
})
export type QueryRow = z.infer<typeof queryRow>
