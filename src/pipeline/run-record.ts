import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Candidate, Degradation } from '../core/types.ts'
import type { DegradationCode, StageName } from '../core/vocabulary.ts'
import type { Trace } from './trace/schema.ts'

/** Stages and degradations of one request, for the response and the trace. */
export class RunRecord {
  readonly stages: Trace['stages'] = []
  readonly degraded: Degradation[] = []
  readonly #now: () => number

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Runs a stage and records its time. Each stage starts in a new turn of the event loop, so that requests take turns and timers
   * are in time.
   * @param input number of candidates before the stage
   * @param outcome the number of candidates after the stage, and whether it changed them
   */
  async stage<Result>(
    name: StageName,
    input: number,
    run: () => Result | Promise<Result>,
    outcome: (result: Result) => { out: number; changed: boolean },
  ): Promise<Result> {
    await nextTurn()
    const from = this.#now()
    const result = await run()
    const ms = Math.round((this.#now() - from) * 1000) / 1000
    this.stages.push({ name, ms, in: input, ...outcome(result) })
    return result
  }

  /** Records a step that is missing or failed. Equal records count once. */
  degrade(code: DegradationCode, detail: string): void {
    if (!this.degraded.some(entry => entry.code === code && entry.detail === detail))
      this.degraded.push({ code, detail })
  }

  /** The stages that changed the candidates. */
  get applied(): StageName[] {
    return this.stages.filter(({ changed }) => changed).map(({ name }) => name)
  }
}

/** Whether two lists differ in candidates, order or values. */
export function differ(before: readonly Candidate[], after: readonly Candidate[]): boolean {
  return (
    before.length !== after.length ||
    before.some(({ key, value }, index) => key !== after[index]?.key || value !== after[index]?.value)
  )
}
