import Table from 'cli-table3'
import { percentile } from '../../src/statistics/sample.ts'
import { number } from '../bench/bench-report.ts'

/** What became of one request. */
export type Outcome = 'answered' | 'refused' | 'lost'

/** Outcomes and latencies of one kind of request. */
export class Tally {
  readonly counts: Record<Outcome, number> = { answered: 0, refused: 0, lost: 0 }
  readonly #milliseconds: number[] = []
  /** The first reasons of lost requests, for the report. */
  readonly losses = new Map<string, number>()

  add(outcome: Outcome, milliseconds: number, reason = ''): void {
    this.counts[outcome]++
    this.#milliseconds.push(milliseconds)
    if (outcome === 'lost') this.losses.set(reason, (this.losses.get(reason) ?? 0) + 1)
  }

  /** A percentile of the latencies in milliseconds; NaN without requests. */
  latency(share: number): number {
    return percentile(this.#milliseconds, share) ?? Number.NaN
  }
}

export function tallyTable(tallies: ReadonlyMap<string, Tally>): string {
  const head = ['requests', 'answered', 'refused', 'lost', 'p50 ms', 'p95 ms', 'max ms']
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  for (const [name, tally] of tallies) {
    const { answered, refused, lost } = tally.counts
    table.push([name, answered, refused, lost, ...[0.5, 0.95, 1].map(share => number(tally.latency(share)))])
  }
  return table.toString()
}
