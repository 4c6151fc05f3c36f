import { openRollbackFile } from '../../adapters/rollback-file.ts'
import { type Config, ConfigError } from '../../config.ts'
import type { Reporter } from '../../observe/events.ts'
import type { Logger } from '../../observe/logger.ts'
import type { OfferShadow, TraceStore } from '../../pipeline/services.ts'
import { createRollout, type Rollout } from '../../rollout/rollout.ts'
import { createShadowQueue } from '../../rollout/shadow/queue.ts'
import { createRollbackJudge } from '../../rollout/statistics/online/judge.ts'

/** Experiments and shadow runs of a process. */
export interface OpenedRollout {
  rollout: Rollout
  offerShadow: OfferShadow
  /** Ends all shadow runs, and waits for the file of rollbacks. */
  close(): Promise<void>
}

/** @throws ConfigError when `ROLLOUT_STATE_FILE` cannot be used */
export async function openRollout(
  { settings }: Pick<Config, 'settings'>,
  { reporter, logger, traces }: { reporter: Reporter; logger: Logger; traces: TraceStore },
): Promise<OpenedRollout> {
  const path = settings.ROLLOUT_STATE_FILE
  const onError = (error: unknown) => logger.error({ err: error }, 'the file of rollbacks cannot be written')
  const file =
    path === undefined
      ? null
      : await openRollbackFile(path, onError).catch((error: Error) => {
          throw new ConfigError([`ROLLOUT_STATE_FILE=${path}: ${error.message}`])
        })
  const rollout = createRollout({
    createJudge: () => createRollbackJudge(),
    rollbacks: file?.rollbacks ?? [],
    save: rollbacks => file?.save(rollbacks),
    onOutcome: outcome => reporter.experimentObserved({ outcome }),
    onRollback: rollback => reporter.rolledBack(rollback),
    onReset: experiment => reporter.rollbackReset({ experiment }),
    wallClock: () => new Date(),
  })
  for (const rollback of file?.rollbacks ?? []) reporter.rollbackKept(rollback)
  const shadows = createShadowQueue({
    traces,
    onRan: event => reporter.shadowRan(event),
    onQueued: event => reporter.shadowQueued(event),
  })
  return {
    rollout,
    offerShadow: shadows.offer,
    close: async () => {
      shadows.close()
      rollout.close()
      await file?.close()
    },
  }
}
