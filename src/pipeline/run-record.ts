import type { Candidate, Degradation } from '../core/types.ts'
import type { DegradationCode, StageName } from '../core/vocabulary.ts'

/** One step as it ran: milliseconds, candidates in and out, and whether it changed them. */
export interface StageRecord {
  name: StageName
  ms: number
  in: number
  out: number
  changed: boolean
}

/** What happened while one request ran: its stages, and what it had to do without. The response and the trace both read it. */
export class RunRecord {
  readonly stages: StageRecord[] = []
  readonly degraded: Degradation[] = []
  readonly #now: () => number

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Runs a step and records its time and what `outcome` says about its result. */
  async stage<Result>(
    name: StageName,
    input: number,
    run: () => Result | Promise<Result>,
    outcome: (result: Result) => { out: number; changed: boolean },
  ): Promise<Result> {
    const from = this.#now()
    const result = await run()
    const ms = Math.round((this.#now() - from) * 1000) / 1000
    this.stages.push({ name, ms, in: input, ...outcome(result) })
    return result
  }

  /** Records a missing or failed step; the same fault counts once. */
  degrade(code: DegradationCode, detail: string): void {
    if (!this.degraded.some(entry => entry.code === code && entry.detail === detail))
      this.degraded.push({ code, detail })
  }

  /** The stages that changed the candidates. */
  get applied(): StageName[] {
    return this.stages.filter(({ changed }) => changed).map(({ name }) => name)
  }
}

/** Whether two lists differ in their candidates, their order or their values. */
export function differ(before: readonly Candidate[], after: readonly Candidate[]): boolean {
  return (
    before.length !== after.length ||
    before.some(({ key, value }, index) => key !== after[index]?.key || value !== after[index]?.value)
  )
}
