import type { PlanArm } from '../../evaluation/arms/arm.ts'
import { NO_KEYS, readServerKeys } from '../../evaluation/arms/server/keys.ts'
import { withServerArms } from '../../evaluation/arms/server/server-arms.ts'
import { type ReplayDependencies, type ReplayJob, replay, type UseReplay } from '../../evaluation/replay/replay.ts'
import { createProgress } from '../progress.ts'
import type { LiveOptions, OpenLiveCollection } from './live-sets.ts'

export interface SessionFlags extends LiveOptions {
  serverKeys?: string
  limitQueries?: number
  parallel: number
  fresh: boolean
  cache: string
}

export interface SessionDependencies {
  /** Called after the command line is checked. */
  open: (where: { url?: string; apiKey?: string }) => Promise<ReplayDependencies<PlanArm> & { close(): Promise<void> }>
  openCollection: OpenLiveCollection
  progress: NodeJS.WriteStream
}

/** What is replayed, and what is done with the report. */
export interface Wanted extends Pick<ReplayJob, 'sets' | 'arms' | 'budgets' | 'chunkTokens' | 'details'> {
  use: UseReplay
}

/** What replays work with: the models, the servers, and the settings of the command line that all of them share. */
export interface Session {
  dependencies: ReplayDependencies
  settings: Pick<ReplayJob, 'cacheFolder' | 'parallel' | 'fresh' | 'onProgress' | 'onResume'>
  stopProgress(): void
}

/** Opens the models, works with them, and closes what it opened. */
export async function inSession(
  { url, apiKey, serverKeys, parallel, fresh, cache: cacheFolder }: SessionFlags,
  { open, progress: stream }: SessionDependencies,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const keyOf = serverKeys === undefined ? NO_KEYS : await readServerKeys(serverKeys)
  const opened = await open({ ...(url && { url }), ...(apiKey && { apiKey }) })
  const progress = createProgress(stream)
  const onResume = (set: string, done: number, total: number) =>
    progress.note(`resuming: ${done} of ${total} queries of ${set} are done (--fresh starts anew)`)
  try {
    await work({
      dependencies: withServerArms(opened, { keyOf }),
      settings: { cacheFolder, parallel, fresh, onProgress: progress.show, onResume },
      stopProgress: progress.stop,
    })
  } finally {
    progress.stop()
    await opened.close()
  }
}

/**
 * Runs one replay with its progress.
 * @param wantedWith is told the reranker that was loaded; null without one
 */
export function inReplay(
  flags: SessionFlags,
  sources: SessionDependencies,
  wantedWith: (reranker: string | null) => Wanted,
): Promise<void> {
  return inSession(flags, sources, async ({ dependencies, settings, stopProgress }) => {
    const { use, ...wanted } = wantedWith(dependencies.reranker)
    const job: ReplayJob = { ...wanted, ...settings, limitQueries: flags.limitQueries ?? null }
    await replay(job, dependencies, async (report, details) => {
      stopProgress()
      await use(report, details)
    })
  })
}
