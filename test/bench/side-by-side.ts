import { percentile } from '../../src/statistics/sample.ts'

/** Figures of one round by name, the unit in the name. */
export type Figures = Record<string, number>

/** One way of doing the work. `run` does it once and says how it went. */
export interface Contender {
  label: string
  run(round: number): Promise<Figures> | Figures
}

export interface Measured {
  label: string
  /** Median over the rounds, figure by figure. */
  medians: Figures
  /** Median over the rounds of this contender's figure ÷ the first contender's of the same round; null for the first itself. */
  ratios: Figures | null
  rounds: Figures[]
}

/**
 * Measures contenders in one run: each round asks all of them, and another one goes first each time, so that noise of the machine falls on
 * all alike. Ratios are formed round by round. `warmups` rounds come before and are thrown away.
 */
export async function sideBySide(
  contenders: readonly Contender[],
  { rounds, warmups = 1 }: { rounds: number; warmups?: number },
): Promise<Measured[]> {
  const figures = contenders.map((): Figures[] => [])
  for (let round = 0; round < warmups + rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const at = (turn + round) % contenders.length
      const found = await contenders[at]?.run(round)
      if (found && round >= warmups) figures[at]?.push(found)
    }
  }
  const [first = []] = figures
  return contenders.map(({ label }, at) => {
    const own = figures[at] ?? []
    const ratios = own.map((found, round) => mapFigures(found, (value, name) => value / (first[round]?.[name] ?? 0)))
    return { label, medians: medianOf(own), ratios: at === 0 ? null : medianOf(ratios), rounds: own }
  })
}

/** A contender measured elsewhere, or not a matter of rounds. */
export function measuredOnce(label: string, figures: Figures): Measured {
  return { label, medians: figures, ratios: null, rounds: [figures] }
}

/** How long the work takes, in milliseconds. */
export async function millisecondsOf(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The median of each figure. */
export function medianOf(rounds: readonly Figures[]): Figures {
  return mapFigures(rounds[0] ?? {}, (_, name) => median(rounds.map(figures => figures[name] ?? Number.NaN)))
}

function mapFigures(figures: Figures, change: (value: number, name: string) => number): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, change(value, name)]))
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5) ?? Number.NaN
}
