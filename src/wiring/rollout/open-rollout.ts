import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openRollbackFile, type RollbackFile, readRollbacks } from '../../adapters/rollback-file.ts'
import type { Member } from '../../cluster/member.ts'
import type { Peers } from '../../cluster/peers.ts'
import { type Config, ConfigError } from '../../config.ts'
import { messageOf, StowageError } from '../../core/errors.ts'
import type { Reporter } from '../../observe/events.ts'
import type { Logger } from '../../observe/logger.ts'
import type { TraceStore } from '../../pipeline/services.ts'
import { createRollout, type Rollback, type Rollout } from '../../rollout/rollout.ts'
import { createShadowQueue } from '../../rollout/shadow/queue.ts'
import { createRollbackJudge } from '../../rollout/statistics/online/judge.ts'

interface RolloutParts {
  reporter: Reporter
  logger: Logger
  traces: TraceStore
  /** Null for a process alone. */
  member: Member | null
}

/** Experiments and shadow runs of a process. @throws ConfigError when `ROLLOUT_STATE_FILE` cannot be used */
export async function openRollout(
  { settings }: Pick<Config, 'settings'>,
  { reporter, logger, traces, member }: RolloutParts,
) {
  const judges = member === null || member.start.isFirst
  // Those that the other workers know are newer than a file that could not be written.
  const known = member?.start.rollbacks ?? null
  const file = judges ? await openFile(settings.ROLLOUT_STATE_FILE, logger, known) : null
  const rollbacks = known ?? file?.rollbacks ?? []
  const rollout =
    member !== null && !judges ? followRollout(member.peers, rollbacks) : judge({ reporter, member, file, rollbacks })
  const shadows = createShadowQueue({
    traces,
    onRan: event => reporter.shadowRan(event),
    onQueued: event => reporter.shadowQueued(event),
  })
  return {
    rollout,
    offerShadow: shadows.offer,
    /** Ends all shadow runs, and waits for the file of rollbacks. */
    close: async (): Promise<void> => {
      shadows.close()
      rollout.close()
      await file?.close()
    },
  }
}

/** @throws ConfigError */
async function openFile(
  path: string | undefined,
  logger: Logger,
  known: readonly Rollback[] | null,
): Promise<RollbackFile | null> {
  if (path === undefined) return null
  const onError = (error: unknown) => logger.error({ err: error }, 'the file of rollbacks cannot be written')
  return openRollbackFile(path, onError, known).catch((error: Error) => {
    throw rollbackFault(path, error.message)
  })
}

/** What the start would say of `ROLLOUT_STATE_FILE`, without writing it: another process may be using it. @throws ConfigError */
export async function checkRollbackFile({
  settings: { ROLLOUT_STATE_FILE: path },
}: Pick<Config, 'settings'>): Promise<void> {
  if (path === undefined) return
  try {
    await readRollbacks(path)
    await access(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw rollbackFault(path, messageOf(error))
  }
}

const rollbackFault = (path: string, fault: string) => new ConfigError([`ROLLOUT_STATE_FILE=${path}: ${fault}`])

interface JudgeParts extends Pick<RolloutParts, 'reporter' | 'member'> {
  file: RollbackFile | null
  rollbacks: readonly Rollback[]
}

/** The rollout of a process that collects all outcomes: its own, and those of other workers. */
function judge({ reporter, member, file, rollbacks }: JudgeParts): Rollout {
  const rollout = createRollout({
    createJudge: () => createRollbackJudge(),
    rollbacks,
    save: now => {
      file?.save(now)
      member?.peers.tell('rollbacks', now)
    },
    onOutcome: outcome => reporter.experimentObserved({ outcome }),
    onRollback: rollback => reporter.rolledBack(rollback),
    onReset: experiment => reporter.rollbackReset({ experiment }),
    wallClock: () => new Date(),
  })
  for (const rollback of rollbacks) reporter.rollbackKept(rollback)
  member?.peers.tell('rollbacks', rollbacks)
  member?.peers.on('outcome', outcome => rollout.observe(outcome))
  return rollout
}

/**
 * The experiments of a worker that is not the first: it tells the first one the outcomes of its requests, and follows its rollbacks.
 * Requests for the experiments themselves are passed on to the first worker before they get here.
 */
function followRollout(peers: Pick<Peers, 'tellFirst' | 'on'>, rollbacks: readonly Rollback[]): Rollout {
  let rolledBack = namesOf(rollbacks)
  peers.on('rollbacks', told => {
    rolledBack = namesOf(told)
  })
  const elsewhere = (): never => {
    throw new StowageError('overloaded', 'The first worker knows the experiments')
  }
  return {
    observe: outcome => peers.tellFirst('outcome', outcome),
    isRolledBack: experiment => rolledBack.has(experiment),
    list: elsewhere,
    names: elsewhere,
    outcomesOf: elsewhere,
    reset: elsewhere,
    close() {},
  }
}

function namesOf(rollbacks: readonly Rollback[]): ReadonlySet<string> {
  return new Set(rollbacks.map(({ experiment }) => experiment))
}
