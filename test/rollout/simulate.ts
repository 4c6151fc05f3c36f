/**
 * Checks the statistics of experiments on simulated requests, and prints two tables: `npm run rollout:simulate [-- EXPERIMENTS [judge]]`
 * (default 2,000; about 6 minutes of one core). The figures of docs/rollout.md come from here.
 */
import Table from 'cli-table3'
import { MEASURES } from '../../src/rollout/statistics/measures.ts'
import { NO_HARM, SESSIONS } from './support/simulated-requests.ts'
import { coverage, judged } from './support/simulations.ts'

const experiments = Number(process.argv[2] ?? 2_000)
const judgeOnly = process.argv[3] === 'judge'
const half = { ...SESSIONS, share: 0.5 }
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const intervals = new Table({ head: ['without a difference', ...MEASURES], style: { head: [], border: [] } })
const worlds = [
  ['10 %, 8,000 requests in sessions', SESSIONS, 8_000],
  ['50 %, 4,000 requests in sessions', half, 4_000],
  ['50 %, 2,000 requests, each a unit', { ...half, unit: 'request', requestsPerUnit: 1 }, 2_000],
  [
    '50 %, 4,000 requests, sessions of 20 that differ twice as much',
    { ...half, requestsPerUnit: 20, unitSigma: 0.8, recallOfUnits: 0.2 },
    4_000,
  ],
] as const
for (const [name, world, requests] of judgeOnly ? [] : worlds) {
  const found = coverage(world, { experiments, requests })
  process.stderr.write(`${name}\n`)
  intervals.push([`${name}: interval contains 0`, ...MEASURES.map(measure => percent(found[measure].covered))])
  intervals.push([`${name}: p < .05`, ...MEASURES.map(measure => percent(found[measure].significant))])
}
if (!judgeOnly) process.stdout.write(`${experiments} experiments each\n${intervals}\n`)

const online = new Table({
  head: ['online judge, a look after every request', 'experiments', 'rolled back', 'by', 'median requests', 'p90'],
  style: { head: [], border: [] },
})
const cases = [
  ['no difference, 10 %', SESSIONS, NO_HARM, experiments / 2],
  ['no difference, 50 %', half, NO_HARM, experiments / 2],
  ['no difference, 10 %, one failure in 1,000', { ...SESSIONS, failures: 0.001 }, NO_HARM, experiments / 2],
  ['25 % slower, 10 %', SESSIONS, { ...NO_HARM, slower: 1.25 }, experiments / 20],
  ['25 % slower, 50 %', half, { ...NO_HARM, slower: 1.25 }, experiments / 20],
  ['recall proxy lower by .1, 10 %', SESSIONS, { ...NO_HARM, lessRecall: 0.1 }, experiments / 20],
  ['recall proxy lower by .1, 50 %', half, { ...NO_HARM, lessRecall: 0.1 }, experiments / 20],
  ['2 points more failures, 10 %', SESSIONS, { ...NO_HARM, moreFailures: 0.02 }, experiments / 20],
  ['2 points more failures, 50 %', half, { ...NO_HARM, moreFailures: 0.02 }, experiments / 20],
  ['all fail, 10 %', SESSIONS, { ...NO_HARM, moreFailures: 1 }, experiments / 20],
] as const
for (const [name, world, treatment, planned] of cases) {
  const runs = Math.ceil(planned)
  const { at, triggers } = judged(world, treatment, { experiments: runs })
  // Experiments that end without a rollback count as longer than all others.
  const rank = (share: number) => at[Math.ceil(share * runs) - 1]?.toLocaleString('en-US') ?? 'over 20,000'
  const by = Object.entries(triggers).map(([trigger, count]) => `${trigger} ${count}`)
  process.stderr.write(`${name}: ${at.length} of ${runs}\n`)
  online.push([name, runs, percent(at.length / runs), by.join(', '), rank(0.5), rank(0.9)])
}
process.stdout.write(`up to 20,000 requests each\n${online}\n`)
