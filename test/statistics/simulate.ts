/**
 * Prints the figures of docs/statistics.md: `npm run statistics:simulate -- TRIALS TABLE`. TRIALS is the number of
 * simulated comparisons of each cell; for the table `speed` it is the number of comparisons.
 */
import Table from 'cli-table3'
import { BOOTSTRAP_DEFAULTS, pairedInterval } from '../../src/statistics/bootstrap.ts'
import { compareTogether } from '../../src/statistics/comparison.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { METHODS } from './support/other-intervals.ts'
import { coverage, falseVerdicts, powerAtSmallestEffect, rejected } from './support/simulations.ts'
import { centred, RARE, sample, WORLDS, type World, withoutEffect } from './support/worlds.ts'

const SIZES = [10, 20, 50, 186, 500]
const SEVERAL = [
  [20, 20, 30],
  [186, 50],
  [20, 20, 30, 50, 100, 186],
]
const COLUMNS: readonly (readonly number[])[] = [...SIZES.map(size => [size]), ...SEVERAL]
const HEAD = COLUMNS.map(sizes => `n = ${sizes.join(' + ')}`)
/** Below this effective number of differences that are not 0 every method is too narrow. */
const LEAST_EFFECTIVE = 10
const worlds: readonly World[] = Object.values(WORLDS)

const TABLES: Record<string, (trials: number) => string> = {
  /** Coverage of the 95 % intervals of the product. */
  coverage(trials) {
    const rows = worlds.map(world => [
      world.name,
      ...COLUMNS.map(sizes => {
        const { covered, effective } = coverage(pairedInterval, world, sizes, { trials })
        return `${percent(covered)}${effective < LEAST_EFFECTIVE ? ` (${effective.toFixed(1)})` : ''}`
      }),
    ])
    return textOf(['differences', ...HEAD], rows)
  },

  /** The range of the coverage of each method, over the worlds with at least 10 effective differences that are not 0; then a rare change. */
  methods(trials) {
    const rows = Object.entries(METHODS).map(([name, method]) => [
      name,
      ...COLUMNS.map(sizes => {
        const shares = worlds
          .map(world => coverage(method, world, sizes, { trials }))
          .filter(({ effective }) => effective >= LEAST_EFFECTIVE)
          .map(({ covered }) => covered)
        return shares.length === 0 ? '' : `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`
      }),
      percent(coverage(method, RARE, [186], { trials }).covered),
    ])
    return textOf(['method', ...HEAD, `n = 186, ${RARE.name}`], rows)
  },

  /** Share of p values up to .05 without a difference. */
  size(trials) {
    const rows = [...worlds.map(withoutEffect), centred(WORLDS.graded), centred(WORLDS.half)].map(world => [
      world.name,
      ...COLUMNS.map(sizes => percent(rejected(world, sizes, { trials }))),
    ])
    return textOf(['no difference', ...HEAD], rows)
  },

  /** The smallest effect, and the share of the tests that find it. */
  power(trials) {
    const rows = worlds.map(world => [
      world.name,
      ...[50, 186, 500].map(size => {
        const { effect, found } = powerAtSmallestEffect(world, [size], { trials })
        return `${(100 * effect).toFixed(1)} points: ${percent(found)}`
      }),
    ])
    return textOf(['differences', ...[50, 186, 500].map(size => `n = ${size}`)], rows)
  },

  /** Ablations of 20 rules of which none has an effect. */
  'false-verdicts'(trials) {
    const rows = [WORLDS.symmetric, WORLDS.half, WORLDS.graded].map(world => [
      world.name,
      percent(falseVerdicts(world, 20, 50, { trials })),
    ])
    return textOf(['differences', 'n = 50'], rows)
  },

  /** CPU time of comparisons of 1,400 queries. */
  speed(comparisons) {
    const rows = [WORLDS.copies, WORLDS.graded].map(world => {
      const random = seededRandom(1)
      const differences = new Map(
        Array.from({ length: comparisons }, (_, at) => [`arm ${at}`, sample(world, [1_400], random)] as const),
      )
      const start = process.cpuUsage()
      compareTogether(differences)
      return [world.name, `${(process.cpuUsage(start).user / 1e6).toFixed(1)} s`]
    })
    const head = `CPU time of ${comparisons} comparisons of 1,400 queries, ${BOOTSTRAP_DEFAULTS.resamples} resamples`
    return textOf(['differences', head], rows)
  },
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

function textOf(head: string[], rows: string[][]): string {
  const table = new Table({ head, style: { head: [], border: [] } })
  table.push(...rows)
  return `${table}\n`
}

const [trials, name] = process.argv.slice(2)
const print = TABLES[name ?? '']
if (print === undefined || !(Number(trials) >= 1)) {
  process.stderr.write(`usage: npm run statistics:simulate -- TRIALS ${Object.keys(TABLES).join('|')}\n`)
  process.exitCode = 2
} else {
  process.stdout.write(print(Math.floor(Number(trials))))
}
