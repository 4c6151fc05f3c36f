import { StowageError } from '../../core/errors.ts'
import { type ContextualizeResult, contextualize, type OnContextProgress } from '../contextualize.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import type { LiveCollection } from '../live-collection.ts'
import type { CopyMark } from '../state/state-folder.ts'
import { syncTwin, type Twin } from './twin.ts'

/** Copies while others keep writing to the source. */
const MOST_ROUNDS = 10

/**
 * Makes the twin and copies all points. The encoding of the twin is recognised in them, so this comes first.
 * @throws StowageError `unprocessable` when the twin is the source itself, or has points and is not marked as a copy of it: it would lose them
 */
export async function prepareTwin(
  source: LiveCollection,
  { collection, twin, mark }: { collection: LiveCollection; twin: Twin; mark: CopyMark },
  signal: AbortSignal,
): Promise<void> {
  if ((await source.names()).includes(collection.name))
    throw new StowageError(
      'unprocessable',
      `${collection.name} and ${source.name} are the same collection; give --into a new name`,
    )
  if (!mark.isOf(source.name)) {
    if (await twin.hasPoints())
      throw new StowageError(
        'unprocessable',
        `collection ${collection.name} has points, and the state folder does not say that it is a copy of ${source.name}: they would be lost. ` +
          'Give --into a new name, or delete that collection first',
      )
    mark.set(source.name)
  }
  await twin.create()
  await syncTwin(source, collection, twin, signal)
}

/**
 * Writes contexts to a prepared twin of a collection and leaves the collection as it is. What others write to the source meanwhile is copied in
 * further rounds, until a round finds nothing; then the alias, if there is one, stands for the twin. It can be repeated after a kill.
 * @throws StowageError `unprocessable` when the source keeps changing; the alias is not touched then
 */
export async function contextualizeInto(
  source: LiveCollection,
  { collection, twin }: { collection: LiveCollection; twin: Twin },
  dependencies: ContextualizeDependencies,
  { alias, onProgress, signal }: { alias: string | null; onProgress: OnContextProgress; signal: AbortSignal },
): Promise<ContextualizeResult> {
  let before: number | null = null
  let stored = 0
  let fallbacks = 0
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = await contextualize(dependencies, onProgress, signal)
    before ??= result.before
    stored += result.stored
    fallbacks += result.fallbacks
    const whole = { ...result, before, stored, fallbacks }
    if (result.stoppedBy !== null) return whole
    if ((await syncTwin(source, collection, twin, signal)) > 0) continue
    if (alias !== null) await twin.takeAlias(alias)
    return whole
  }
  throw new StowageError(
    'unprocessable',
    `collection ${source.name} kept changing while it was copied to ${collection.name}; run again at a quieter time`,
  )
}
