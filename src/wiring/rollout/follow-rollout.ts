import type { Peers } from '../../cluster/peers.ts'
import { StowageError } from '../../core/errors.ts'
import type { Rollback, Rollout } from '../../rollout/rollout.ts'

/**
 * The experiments of a worker that is not the first: it tells the first one the outcomes of its requests, and follows its rollbacks.
 * Requests for the experiments themselves are passed on to the first worker before they get here.
 */
export function followRollout(peers: Pick<Peers, 'tellFirst' | 'on'>, rollbacks: readonly Rollback[]): Rollout {
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
