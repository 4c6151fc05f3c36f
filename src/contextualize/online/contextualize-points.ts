import { batchesOf } from '../../core/collections.ts'
import type { JsonObject, PointId } from '../../core/types.ts'
import { findDocumentField, isParent, type PayloadMapping } from '../../qdrant/payload/read-chunk.ts'
import { valueAt } from '../../qdrant/payload/value-at.ts'
import { isMatchable, isPlainPath } from '../../qdrant/places-filter.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import { hasText, isDoneInRun, keyOf, surveyOf } from '../documents/survey.ts'
import type { LiveCollection, LivePoint } from '../live-collection.ts'
import { runPass } from '../run-pass.ts'

/** What it takes to write contexts for some points of a collection. */
interface PointWork {
  dependencies: ContextualizeDependencies
  mapping: PayloadMapping | undefined
  /** Whether a point needs no context. */
  isDone(point: LivePoint): boolean
}

/** Documents of one filter. */
const DOCUMENTS = 50
/** Over points that others keep changing. */
const MOST_PASSES = 4

/**
 * Writes the contexts of some points as `stowage contextualize` does: the points are read as they are now, with their documents.
 * @returns the ids of the points that are not there, or need no context
 */
export async function contextualizePoints(
  ids: readonly PointId[],
  { dependencies, mapping, isDone: isDoneBefore }: PointWork,
  signal: AbortSignal,
): Promise<PointId[]> {
  const { collection, partition } = dependencies
  const postponed = new Set<string>()
  const isDone = (point: LivePoint) => isDoneInRun(point, isDoneBefore(point), postponed)
  let untouched: PointId[] | null = null
  // Others can change a text while its context is written.
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = await collection.read(ids)
    const missing = found.filter(point => hasText(point) && !isParent(point.payload) && !isDone(point))
    const keys = new Set(missing.map(({ id }) => keyOf(id)))
    untouched ??= ids.filter(id => !keys.has(keyOf(id)))
    if (missing.length === 0) break
    const survey = await surveyOf(documentsOf(missing, collection, mapping), isDone, partition)
    const documents = survey.documents.map(document => ({
      ...document,
      left: new Set([...document.left].filter(key => keys.has(key))),
    }))
    const result = await runPass({ ...survey, documents }, dependencies, () => {}, signal)
    for (const key of result.postponed) postponed.add(key)
  }
  return untouched ?? []
}

/** The points and all others of their documents, each once. */
async function* documentsOf(
  points: LivePoint[],
  collection: LiveCollection,
  mapping: PayloadMapping | undefined,
): AsyncGenerator<LivePoint[]> {
  const seen = new Set<string>()
  const fresh = (page: readonly LivePoint[]) => {
    const unseen = page.filter(({ id }) => !seen.has(keyOf(id)))
    for (const { id } of unseen) seen.add(keyOf(id))
    return unseen
  }
  for (const should of batchesOf(documentConditions(points, mapping), DOCUMENTS))
    for await (const page of collection.pages({ should })) yield fresh(page)
  yield fresh(points)
}

/** One condition for each document. A point without a document id is a document of its own, and so is one whose id Qdrant cannot match. */
function documentConditions(points: readonly LivePoint[], mapping: PayloadMapping | undefined): JsonObject[] {
  const conditions = new Map<string, JsonObject>()
  for (const { payload } of points) {
    const key = findDocumentField(payload, mapping)
    const value = key === null ? null : valueAt(payload, key)
    if (key === null || !isPlainPath(key) || !isMatchable(value)) continue
    conditions.set([key, typeof value, value].join('\n'), { key, match: { value } })
  }
  return [...conditions.values()]
}
