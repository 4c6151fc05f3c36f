import type { WriterKind } from '../../contexts/context.ts'
import type { PlanArm } from '../../evaluation/arms/arm.ts'
import type { NamedPlans } from '../../evaluation/arms/named-arms.ts'
import { NO_KEYS, readServerKeys } from '../../evaluation/arms/server/keys.ts'
import { withServerArms } from '../../evaluation/arms/server/server-arms.ts'
import type { ReplayJudge } from '../../evaluation/judge/judge.ts'
import {
  type ReplayDependencies,
  type ReplayJob,
  type ReplayModels,
  replay,
  type UseReplay,
} from '../../evaluation/replay/replay.ts'
import { type Address, addressOf } from '../option-values.ts'
import { createProgress, type Progress } from '../progress.ts'
import { refuseOtherBudget } from './budgets.ts'
import type { LiveOptions, OpenLiveCollection } from './live-collection.ts'

export interface SessionFlags extends LiveOptions {
  serverKeys?: string
  limitQueries?: number
  parallel: number
  fresh: boolean
  cache: string
  judge: boolean
  judgeBudget?: number
  /** Who writes the contexts for arms with `retrieval.contextual`. */
  context?: WriterKind
}

export interface SessionDependencies {
  /** Called after the command line is checked. */
  open: (where: Address & { context?: WriterKind }) => Promise<OpenedReplay>
  openCollection: OpenLiveCollection
  progress: NodeJS.WriteStream
}

/** What each of the modes of `stowage replay` works with. */
export interface ReplayCommandDependencies extends SessionDependencies {
  plans: () => NamedPlans
  out: NodeJS.WritableStream
}

interface OpenedReplay extends ReplayDependencies<PlanArm> {
  /** Opens the judge of the configuration, with what it replied before in this folder. @throws StowageError `bad_request` without one */
  openJudge(cacheFolder: string): Promise<OpenedJudge>
  close(): Promise<void>
}

interface OpenedJudge extends Pick<ReplayJudge, 'judge' | 'name'> {
  /** What it has used so far. */
  usage: Readonly<{ calls: number; inputTokens: number; outputTokens: number }>
}

/** What is replayed, and what is done with the report. */
interface Wanted
  extends Pick<ReplayJob, 'sets' | 'arms' | 'budgets' | 'chunkTokens' | 'chunking' | 'details' | 'explain'> {
  use: UseReplay
}

/** What replays work with: the models, the servers, and the settings of the command line that all of them share. */
interface Session {
  dependencies: ReplayDependencies
  settings: Pick<ReplayJob, 'cacheFolder' | 'parallel' | 'fresh' | 'onProgress' | 'onResume'>
  openJudge(): Promise<OpenedJudge>
  progress: Progress
}

/** Opens the models, works with them, and closes what it opened. */
export async function inSession(
  flags: SessionFlags,
  { open, progress: stream }: SessionDependencies,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { serverKeys, parallel, fresh, cache: cacheFolder, context } = flags
  const keyOf = serverKeys === undefined ? NO_KEYS : await readServerKeys(serverKeys)
  const opened = await open({ ...addressOf(flags), ...(context && { context }) })
  const progress = createProgress(stream)
  const onResume = (set: string, done: number, total: number) =>
    progress.note(`resuming: ${done} of ${total} queries of ${set} are done (--fresh starts anew)`)
  try {
    await work({
      dependencies: withServerArms(opened, { keyOf }),
      settings: { cacheFolder, parallel, fresh, onProgress: progress.show, onResume },
      openJudge: () => opened.openJudge(cacheFolder),
      progress,
    })
  } finally {
    progress.stop()
    await opened.close()
  }
}

/**
 * Runs one replay with its progress.
 * @param wantedWith is told the models that were loaded, before the first question
 */
export function inReplay(
  flags: SessionFlags,
  sources: SessionDependencies,
  wantedWith: (models: ReplayModels) => Wanted,
): Promise<void> {
  return inSession(flags, sources, async ({ dependencies, settings, openJudge, progress }) => {
    const { use, ...wanted } = wantedWith(dependencies)
    const judging = await judgingOf(flags, wanted.budgets, openJudge)
    const job: ReplayJob = {
      ...wanted,
      ...settings,
      ...(judging && { judge: judging.judge }),
      limitQueries: flags.limitQueries ?? null,
    }
    await replay(job, dependencies, async (report, details) => {
      progress.stop()
      if (judging) progress.note(judging.told())
      await use(report, details)
    })
  })
}

/** The judge of a replay, and a sentence on what it did; null when none was asked for. @throws StowageError `bad_request` */
async function judgingOf(
  { judge: isWanted, judgeBudget }: SessionFlags,
  budgets: readonly number[],
  openJudge: Session['openJudge'],
): Promise<{ judge: ReplayJudge; told(): string } | null> {
  if (!isWanted) return null
  const budgetTokens = judgeBudget ?? budgets[Math.floor(budgets.length / 2)] ?? 0
  refuseOtherBudget('--judge-budget', budgetTokens, budgets)
  const { judge, name, usage } = await openJudge()
  const faults: string[] = []
  return {
    judge: { judge, name, budgetTokens, onFault: fault => void faults.push(fault) },
    told: () => {
      const { calls, inputTokens, outputTokens } = usage
      const lost = faults.length === 0 ? '' : `; ${faults.length} runs lack a figure, the first: ${faults[0]}`
      return `judge ${name} at ${budgetTokens} tokens: ${calls} calls, ${inputTokens} tokens in, ${outputTokens} out${lost}`
    },
  }
}
