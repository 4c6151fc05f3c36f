import type { PlanArm } from '../../evaluation/arms/arm.ts'
import { NO_KEYS, readServerKeys } from '../../evaluation/arms/server/keys.ts'
import { withServerArms } from '../../evaluation/arms/server/server-arms.ts'
import { type ReplayDependencies, type ReplayJob, replay, type UseReplay } from '../../evaluation/replay/replay.ts'
import { createProgress } from '../progress.ts'

export interface SessionFlags {
  serverKeys?: string
  limitQueries?: number
  parallel: number
  fresh: boolean
  cache: string
}

export interface SessionDependencies {
  /** Called after the command line is checked. */
  open: () => Promise<ReplayDependencies<PlanArm> & { close(): Promise<void> }>
  progress: NodeJS.WriteStream
}

/** What is replayed, and what is done with the report. */
export interface Wanted extends Pick<ReplayJob, 'sets' | 'arms' | 'budgets' | 'chunkTokens'> {
  use: UseReplay
}

/**
 * Opens the models, runs one replay with its progress, and closes what it opened.
 * @param wantedWith is told the reranker that was loaded; null without one
 */
export async function inReplay(
  flags: SessionFlags,
  { open, progress: stream }: SessionDependencies,
  wantedWith: (reranker: string | null) => Wanted,
): Promise<void> {
  const { serverKeys, limitQueries = null, parallel, fresh, cache: cacheFolder } = flags
  const keyOf = serverKeys === undefined ? NO_KEYS : await readServerKeys(serverKeys)
  const opened = await open()
  const progress = createProgress(stream)
  try {
    const { use, ...wanted } = wantedWith(opened.reranker)
    const job: ReplayJob = {
      ...wanted,
      ...{ cacheFolder, limitQueries, parallel, fresh },
      onProgress: progress.show,
      onResume: (set, done, total) =>
        progress.note(`resuming: ${done} of ${total} queries of ${set} are done (--fresh starts anew)`),
    }
    await replay(job, withServerArms(opened, { keyOf }), async (report, details) => {
      progress.stop()
      await use(report, details)
    })
  } finally {
    progress.stop()
    await opened.close()
  }
}
