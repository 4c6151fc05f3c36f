/**
 * Prints the figures of docs/rollout.md: `npm run rollout:simulate -- SIZE TABLE`. SIZE is the number of simulated experiments of each row,
 * and for the table `report` the number of requests.
 */
import Table from 'cli-table3'
import { experimentReport } from '../../src/rollout/compare/experiment-report.ts'
import { experimentText } from '../../src/rollout/compare/report-text.ts'
import { MEASURES } from '../../src/rollout/statistics/measures.ts'
import { LEAST_UNITS } from '../../src/rollout/statistics/online/judge.ts'
import { NO_HARM, SESSIONS, type World } from './support/simulated-requests.ts'
import { coverage, judged, simulatedTraces } from './support/simulations.ts'

/** Requests of both variants after which a simulated experiment ends. */
const MOST_REQUESTS = 20_000
/** Request at which the weights of a ramp change. */
const RAMP_FROM = 8_000
const HALF: World = { ...SESSIONS, share: 0.5 }

const TABLES: Record<string, (size: number) => string> = {
  /** Intervals of `stowage ab` without a difference. */
  intervals(experiments) {
    const worlds = [
      ['10 %, 8,000 requests in sessions of 5', SESSIONS, 8_000],
      ['50 %, 4,000 requests in sessions of 5', HALF, 4_000],
      ['50 %, 2,000 requests, each a unit', { ...HALF, unit: 'request', requestsPerUnit: 1 }, 2_000],
      [
        '50 %, 4,000 requests in sessions of 20 that differ twice as much',
        { ...HALF, requestsPerUnit: 20, unitSigma: 0.8, recallOfUnits: 0.2 },
        4_000,
      ],
    ] as const
    const rows = worlds.map(([name, world, requests]) => {
      const found = coverage(world, { experiments, requests })
      return [name, ...MEASURES.map(measure => percent(found[measure].covered))]
    })
    const head = `${numberText(experiments)} experiments in each row; share of the 95 % intervals that contain 0`
    return textOf(head, ['experiment', ...MEASURES], rows)
  },

  /** The online judge without a difference. */
  'false-alarms'(experiments) {
    const worlds = [
      ['10 %', SESSIONS],
      ['50 %', HALF],
      ['90 %', { ...SESSIONS, share: 0.9 }],
      ['10 %, one failure in 1,000', { ...SESSIONS, failures: 0.001 }],
    ] as const
    const rows = worlds.map(([name, world]) => {
      const { at } = judged(world, NO_HARM, { experiments, requests: MOST_REQUESTS })
      return [name, String(at.length)]
    })
    return textOf(judgeText(experiments), ['no difference', 'rolled back'], rows)
  },

  /** The online judge when the weights are changed from 10 % to 50 %, and the traffic of both variants becomes another. */
  ramp(experiments) {
    const changes = [
      ['recall proxy .85, then .7', { recall: 0.85 }, { recall: 0.7 }],
      ['then 1.5 times slower', {}, { seconds: 1.5 * SESSIONS.seconds }],
      ['.5 % failures, then 3 %', { failures: 0.005 }, { failures: 0.03 }],
    ] as const
    const rows = changes.map(([name, before, after]) => {
      const world = { ...SESSIONS, ...before, later: { from: RAMP_FROM, world: { ...after, share: 0.5 } } }
      const { at } = judged(world, NO_HARM, { experiments, requests: MOST_REQUESTS })
      return [name, String(at.length)]
    })
    return textOf(judgeText(experiments), ['no difference, 50 % from request 8,000 on', 'rolled back'], rows)
  },

  /** The online judge with a treatment that does harm. */
  power(experiments) {
    const harms = [
      ['25 % slower', { ...NO_HARM, slower: 1.25 }],
      ['recall proxy lower by .1', { ...NO_HARM, lessRecall: 0.1 }],
      ['2 points more failures', { ...NO_HARM, moreFailures: 0.02 }],
      ['every request fails', { ...NO_HARM, moreFailures: 1 }],
    ] as const
    const shares = [
      ['10 %', SESSIONS],
      ['50 %', HALF],
    ] as const
    const rows = harms.flatMap(([harm, treatment]) =>
      shares.map(([share, world]) => {
        const { at } = judged(world, treatment, { experiments, requests: MOST_REQUESTS })
        // Experiments that end without a rollback count as longer than all others.
        const rank = (part: number) => at[Math.ceil(part * experiments) - 1]
        const text = (requests: number | undefined) => numberText(requests ?? MOST_REQUESTS, requests === undefined)
        return [harm, share, percent(at.length / experiments), text(rank(0.5)), text(rank(0.9))]
      }),
    )
    return textOf(judgeText(experiments), ['treatment', 'share', 'rolled back', 'median', '90 %'], rows)
  },

  /** What `stowage ab` prints for the traces of one experiment without a difference. */
  report: requests => experimentText(experimentReport('sentences', simulatedTraces(SESSIONS, requests), null)),
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const numberText = (value: number, over = false) => `${over ? 'over ' : ''}${value.toLocaleString('en-US')}`

function judgeText(experiments: number): string {
  const runs = `${numberText(experiments)} experiments in each row, of up to ${numberText(MOST_REQUESTS)} requests`
  return `${runs}; a look after every request; at least ${LEAST_UNITS} units in each variant`
}

function textOf(head: string, columns: string[], rows: string[][]): string {
  const table = new Table({ head: columns, style: { head: [], border: [] } })
  table.push(...rows)
  return `${head}\n${table}\n`
}

const [size, name] = process.argv.slice(2)
const print = TABLES[name ?? '']
if (print === undefined || !(Number(size) >= 1)) {
  process.stderr.write(`usage: npm run rollout:simulate -- SIZE ${Object.keys(TABLES).join('|')}\n`)
  process.exitCode = 2
} else {
  process.stdout.write(print(Math.floor(Number(size))))
}
