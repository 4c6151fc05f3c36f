import { contextStamp, isStampOf, isUnseen, onlyPayload, POSTPONED_VERSION } from '../../contexts/context-stamp.ts'
import { CONTEXT_FIELDS } from '../../contexts/payload-fields.ts'
import { getOrInsert } from '../../core/collections.ts'
import { StowageError } from '../../core/errors.ts'
import type { Json, PointId } from '../../core/types.ts'
import { isObject, printJson } from '../../qdrant/json.ts'
import { isParent } from '../../qdrant/payload/read-chunk.ts'
import type { LiveCollection, LivePoint } from '../live-collection.ts'

/** The points of one document that the same readers may see. */
export interface SurveyedDocument {
  /** Its id and its readers. */
  key: string
  ids: PointId[]
  /** Keys of the points whose contexts are missing or of another text or version. */
  left: Set<string>
}

/** What a walk over a collection found. */
export interface Survey {
  /** Documents in the order of their first points. */
  documents: SurveyedDocument[]
  points: number
  /** Points with an up-to-date context. */
  done: number
  /** Points whose payload has no text. */
  withoutText: number
}

export interface Partition {
  /** Payload paths whose values part the points of one document, because other readers see them. */
  fields: readonly string[]
  /** What else parts the points of a page, by the key of the point. */
  readersOf(points: readonly LivePoint[]): Promise<ReadonlyMap<string, string>>
}

/** Whether the context of a point is what this version of the writer would store for its text. */
export function isUpToDate({ chunk, payload }: LivePoint, version: string): boolean {
  return isStampOf(payload.context_version, version, chunk)
}

/** Whether a point needs no context in a run any more: also when its model could not be reached in this run. */
export function isDoneInRun(point: LivePoint, isDone: boolean, postponed: ReadonlySet<string>): boolean {
  return isDone || (postponed.has(keyOf(point.id)) && isUpToDate(point, onlyPayload(POSTPONED_VERSION)))
}

/** Whether a point has a context of its present text, by any writer. */
export function hasContext({ chunk, payload }: LivePoint): boolean {
  const { context_version: version } = payload
  return typeof version === 'string' && version.endsWith(contextStamp('', chunk))
}

/** Whether stowage wrote the fields of a context that a point has: it writes and removes all of them together. */
export const isOfStowage = ({ payload }: LivePoint): boolean => typeof payload.context_version === 'string'

/** Whether the vectors of a point see no context: it has none, or only its payload has one. */
export const isPlain = ({ payload: { context_version: stamp } }: LivePoint): boolean =>
  stamp === undefined || (typeof stamp === 'string' && isUnseen(stamp))

/** @throws StowageError `unprocessable` when the owner of the point has fields of the names that a context takes: they would be lost */
export function refuseForeignFields(point: LivePoint): void {
  const [field] = isOfStowage(point) ? [] : CONTEXT_FIELDS.filter(name => point.payload[name] !== undefined)
  if (field === undefined) return
  throw new StowageError(
    'unprocessable',
    `point ${point.id} has a payload field ${field} that stowage has not written, and a context would replace it; give the field another name first`,
  )
}

export const hasText = ({ chunk }: LivePoint): boolean => chunk.text.trim() !== ''

/** The key of a point in maps: numbers and UUIDs cannot be equal as texts. */
export const keyOf = (id: PointId): string => String(id)

/**
 * Walks over a collection once and keeps ids only. Points with the same document id belong to one document when their readers are the
 * same too: a context is written from the whole document, and no text may cross a tenant.
 */
export function takeSurvey(collection: LiveCollection, version: string, partition: Partition): Promise<Survey> {
  return surveyOf(collection.pages(), point => isUpToDate(point, version), partition)
}

/**
 * The documents of the points of some pages.
 * @param isDone whether a point needs no context
 * @throws as `refuseForeignFields` does
 */
export async function surveyOf(
  pages: AsyncIterable<LivePoint[]>,
  isDone: (point: LivePoint) => boolean,
  partition: Partition,
): Promise<Survey> {
  const documents = new Map<string, SurveyedDocument>()
  const survey = { points: 0, done: 0, withoutText: 0 }
  for await (const page of pages) {
    const keys = await documentKeys(page, partition)
    for (const [index, point] of page.entries()) {
      if (isParent(point.payload)) continue
      survey.points += 1
      if (!hasText(point)) {
        survey.withoutText += 1
        continue
      }
      refuseForeignFields(point)
      const key = keys[index] ?? ''
      const document = getOrInsert(documents, key, () => ({ key, ids: [], left: new Set<string>() }))
      document.ids.push(point.id)
      if (isDone(point)) survey.done += 1
      else document.left.add(keyOf(point.id))
    }
  }
  return { ...survey, documents: [...documents.values()] }
}

/** Number of points that need a context. */
export function countLeft({ documents }: Survey): number {
  return documents.reduce((sum, { left }) => sum + left.size, 0)
}

/** The document of each point, with the readers of the point. */
export async function documentKeys(points: readonly LivePoint[], { fields, readersOf }: Partition): Promise<string[]> {
  const readers = await readersOf(points)
  return points.map(({ id, chunk, payload }) =>
    printJson([
      chunk.docId,
      readers.get(keyOf(id)) ?? '',
      fields.map(field => [memberAt(payload, [field]), memberAt(payload, field.split('.'))]),
    ] as Json),
  )
}

/**
 * The value at the end of some names; null when there is none. For Qdrant a dot is a step, unless it stands in quotes. A point can have both,
 * and its owner could write the value of somebody else into the one that Qdrant does not read: so both part points.
 */
function memberAt(payload: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return payload
  return isObject(payload) && Object.hasOwn(payload, name) ? memberAt(payload[name], rest) : null
}
