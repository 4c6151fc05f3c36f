import { StowageError } from '../../../core/errors.ts'
import type { Reranker } from '../../../core/ports.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { keyedPassage } from './keyed-text.ts'
import type { ScoreJob, ScoreResult } from './late-interaction.worker.ts'
import type { SideFolder } from './side-folder.ts'

type Warm = NonNullable<Reranker['warm']>

/** Encodes passages that have no file yet, so that no question waits for them. */
export function createReadAhead(
  pool: WorkerPool<ScoreJob, ScoreResult, null>,
  folder: SideFolder,
  maxTokens: number,
): Warm {
  const withoutFile = async (keys: readonly string[]) => {
    const found = await Promise.all(keys.map(folder.has))
    return keys.filter((_, at) => !found[at])
  }
  return async (passages, signal) => {
    const texts = new Map(passages.map(passage => keyedPassage(passage, maxTokens)).map(({ key, text }) => [key, text]))
    const missing = await withoutFile([...texts.keys()])
    const { results } = await pool.run(
      missing.map((key): ScoreJob => ({ query: null, passages: [texts.get(key) ?? ''] })),
      { signal },
    )
    for (const [at, key] of missing.entries()) {
      const side = results[at]?.sides[0]
      if (side) folder.write(key, side)
    }
    await folder.settled()
    signal.throwIfAborted()
    const lost = (await withoutFile(missing)).length
    if (lost > 0) {
      const reason = folder.fault() ?? 'they could not be read, or another process deleted them'
      throw new StowageError(
        'upstream_unavailable',
        `${lost} of ${missing.length} passages are not in the folder: ${reason}`,
      )
    }
    return { known: texts.size - missing.length, read: missing.length, deleted: folder.deleted() }
  }
}
