import { addReplayCommand } from '../../../src/commands/replay/replay.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { openLiveCollection, openReplay } from '../../../src/wiring/commands.ts'
import { runCommand } from '../../support/run-command.ts'

/** Runs `stowage replay` as the command line does, with the models of the environment. */
export function runReplayCommand(...line: string[]) {
  return runCommand(
    (program, streams) =>
      addReplayCommand(program, {
        ...streams,
        plans: () => NAMED_PLANS,
        open: openReplay,
        openCollection: openLiveCollection,
      }),
    'replay',
    ...line,
  )
}
