import { Pace } from '../pace.ts'
import type { Collection, Point } from '../storage/collection.ts'
import type { JsonRecord } from '../wire/shape.ts'

/** A write that has been checked and not yet been made. */
export interface CheckedUpdate {
  /** What the log keeps in place of the request's body: ids in place of a filter, so that reading it back needs no search. */
  body?: JsonRecord
  /** The line of the log, when it is not the request with `body`. */
  line?(collection: string): string
  /** Makes the change, which cannot fail. */
  commit(): Promise<void> | void
}

/** Checks a whole request before anything is changed. `version` is the number of the write. @throws EngineError on a faulty request */
export type Update = (
  collection: Collection,
  body: JsonRecord,
  version: number,
  pace: Pace,
) => Promise<CheckedUpdate> | CheckedUpdate

/** A write that makes the same change to each selected point. */
export function changeEach(points: readonly Point[], body: JsonRecord, change: (point: Point) => void): CheckedUpdate {
  const { filter: _, ...rest } = body
  return {
    body: { ...rest, points: points.map(point => point.id) },
    commit: () => inSlices(points, change),
  }
}

/** Makes a checked change item by item. It rests between slices and always comes to its end. */
export async function inSlices<Item>(items: readonly Item[], change: (item: Item) => void): Promise<void> {
  const pace = new Pace()
  for (const item of items) {
    if (pace.isDue()) await pace.rest()
    change(item)
  }
}
