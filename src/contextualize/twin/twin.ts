import { CONTEXT_FIELDS } from '../../contexts/payload-fields.ts'
import type { JsonObject, PointId } from '../../core/types.ts'
import { printJson } from '../../qdrant/json.ts'
import { keyOf } from '../documents/survey.ts'
import type { LiveCollection, LivePoint } from '../live-collection.ts'

/** A second collection that takes the place of a live one. All methods throw StowageError, and can be repeated. */
export interface Twin {
  /** Whether the collection is there and has a point. */
  hasPoints(): Promise<boolean>
  /** Creates the collection with the vectors, indexes and parameters of the source, unless it is there. */
  create(): Promise<void>
  /** Copies whole points of the source, with the digits of their vectors. */
  copy(ids: readonly PointId[]): Promise<void>
  remove(ids: readonly PointId[]): Promise<void>
  /** Lets an alias stand for the collection, in one step. */
  takeAlias(alias: string): Promise<void>
}

/**
 * Copies to the twin what it does not have, and removes what the source does not have any more. Payloads are compared without the fields
 * of contexts, which the twin has of its own.
 * @returns the number of points that differed
 */
export async function syncTwin(
  source: LiveCollection,
  twin: LiveCollection,
  { copy, remove }: Pick<Twin, 'copy' | 'remove'>,
  signal: AbortSignal,
): Promise<number> {
  let differing = 0
  for await (const page of source.pages()) {
    signal.throwIfAborted()
    const there = new Map((await twin.read(page.map(({ id }) => id))).map(point => [keyOf(point.id), point]))
    const missing = page.filter(point => !isCopy(point, there.get(keyOf(point.id)))).map(({ id }) => id)
    if (missing.length > 0) await copy(missing)
    differing += missing.length
  }
  for await (const page of twin.pages()) {
    signal.throwIfAborted()
    const there = new Set((await source.read(page.map(({ id }) => id))).map(({ id }) => keyOf(id)))
    const gone = page.filter(({ id }) => !there.has(keyOf(id))).map(({ id }) => id)
    if (gone.length > 0) await remove(gone)
    differing += gone.length
  }
  return differing
}

function isCopy(point: LivePoint, copied: LivePoint | undefined): boolean {
  return copied !== undefined && printJson(ownFields(point.payload)) === printJson(ownFields(copied.payload))
}

function ownFields(payload: JsonObject): [string, unknown][] {
  const names: readonly string[] = CONTEXT_FIELDS
  return Object.entries(payload)
    .filter(([field]) => !names.includes(field))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
