import { redactUrls } from '../core/redact-urls.ts'
import type { Candidate, Degradation, Span } from '../core/types.ts'
import type { DegradationCode, StageName } from '../core/vocabulary.ts'
import type { Correction } from '../text/terms/spelling.ts'
import type { NamedDocument, Trace } from './trace/schema.ts'

/** How well a sentence of a chunk matches the question, as a logit. */
export interface SentenceMatch extends Span {
  match: number
}

/** What happened in one request, for the response and the trace. */
export class RunRecord {
  readonly stages: Trace['stages'] = []
  readonly degraded: Degradation[] = []
  /** Of the chunks whose sentences the reranker has matched for this packing, by the key of the candidate. */
  sentenceMatches: ReadonlyMap<string, readonly SentenceMatch[]> = new Map()
  /** The words of the question that were corrected for the search. */
  corrections: readonly Correction[] = []
  /** The documents that the question names, whose chunks were searched once more. */
  namedDocuments: readonly NamedDocument[] = []
  readonly #now: () => number
  readonly #from: number

  /**
   * @param now milliseconds of a monotonic clock
   * @param from when the request began, by this clock
   */
  constructor(now: () => number, from = now()) {
    this.#now = now
    this.#from = from
  }

  /** A record that goes on from here on its own, as if nothing else had happened since `elapsedMs`. */
  branchAt(elapsedMs: number): RunRecord {
    const branch = new RunRecord(this.#now, this.#now() - elapsedMs)
    branch.stages.push(...this.stages)
    branch.degraded.push(...this.degraded)
    branch.corrections = this.corrections
    branch.namedDocuments = this.namedDocuments
    return branch
  }

  /**
   * Runs a stage and records its time.
   * @param input number of candidates before the stage
   * @param outcome the number of candidates after the stage, and whether it changed them
   */
  async stage<Result>(
    name: StageName,
    input: number,
    run: () => Result | Promise<Result>,
    outcome: (result: Result) => { out: number; changed: boolean },
  ): Promise<Result> {
    const from = this.#now()
    const result = await run()
    const ms = Math.round((this.#now() - from) * 1000) / 1000
    this.stages.push({ name, start_ms: this.#elapsedAt(from), ms, in: input, ...outcome(result) })
    return result
  }

  /** Records a step that is missing or failed. Equal records count once. */
  degrade(code: DegradationCode, cause: string): void {
    const detail = redactUrls(cause)
    if (!this.degraded.some(entry => entry.code === code && entry.detail === detail))
      this.degraded.push({ code, detail })
  }

  /** Milliseconds since the record was created. */
  get elapsedMs(): number {
    return this.#elapsedAt(this.#now())
  }

  #elapsedAt(time: number): number {
    return Math.round((time - this.#from) * 1000) / 1000
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
