import { StowageError } from '../../../../core/errors.ts'
import type { Reranker } from '../../../../core/ports.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import { keyedPassage } from '../keyed-text.ts'
import type { ScoreJob, ScoreResult } from '../late-interaction.worker.ts'
import type { SideFolder } from './side-folder.ts'

type Warm = NonNullable<Reranker['warm']>

/** Encodes passages that have no file yet, so that no question waits for them. */
export function createReadAhead(
  pool: WorkerPool<ScoreJob, ScoreResult, null>,
  folder: SideFolder,
  maxTokens: number,
): Warm {
  return async (passages, signal) => {
    const texts = new Map(passages.map(passage => keyedPassage(passage, maxTokens)).map(({ key, text }) => [key, text]))
    const keys = [...texts.keys()]
    const found = await Promise.all(keys.map(folder.has))
    const missing = keys.filter((_, at) => !found[at])
    const jobs = missing.map((key): ScoreJob => ({ query: null, passages: [texts.get(key) ?? ''] }))
    const { results, lastError } = await pool.run(jobs, { signal })
    const sides = results.map(result => result?.sides[0] ?? null)
    for (const [at, key] of missing.entries()) {
      const side = sides[at]
      if (side) folder.write(key, side)
    }
    await folder.settled()
    signal.throwIfAborted()
    const unread = sides.filter(side => side === null).length
    if (unread > 0) throw failed(`${unread} of ${missing.length} passages could not be read`, lastError)
    if (missing.length > 0 && folder.fault() !== null) throw failed('the folder cannot be written', folder.fault())
    return { known: keys.length - missing.length, read: missing.length, deleted: folder.deleted() }
  }
}

const failed = (what: string, reason: string | null) =>
  new StowageError('upstream_unavailable', reason === null ? what : `${what}: ${reason}`)
