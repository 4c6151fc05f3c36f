import { CONTROL } from '../../../src/pipeline/plan/assignment.ts'
import { createOutcomeTable, type OutcomeTable } from '../../../src/rollout/compare/outcome-table.ts'
import { liftsOf, MEASURES, type MeasureName, type VariantColumns } from '../../../src/rollout/statistics/measures.ts'
import { createRollbackJudge } from '../../../src/rollout/statistics/online/judge.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { type Behaviour, NO_HARM, simulatedRequests, type World } from './simulated-requests.ts'

const emptyColumns = (): VariantColumns => ({ unit: [], failed: [], seconds: [], recallProxy: [], tokens: [] })

/** The requests of one simulated experiment, as columns. */
export function simulatedColumns(world: World, treatment: Behaviour, requests: number, seed: number) {
  const columns = { treatment: emptyColumns(), control: emptyColumns() }
  const numbers = new Map<string, number>()
  let left = requests
  for (const { assignment, unitId, ...outcome } of simulatedRequests(world, treatment, seededRandom(seed))) {
    left -= 1
    if (left < 0) break
    const into = assignment.variant === CONTROL ? columns.control : columns.treatment
    const unit = numbers.get(unitId) ?? numbers.size
    numbers.set(unitId, unit)
    into.unit.push(unit)
    into.failed.push(Number(outcome.failed))
    into.seconds.push(outcome.seconds ?? Number.NaN)
    into.recallProxy.push(outcome.recallProxy ?? Number.NaN)
    into.tokens.push(outcome.tokens ?? Number.NaN)
  }
  return columns
}

/** The traces of one simulated experiment without a difference. Failed requests leave none. */
export function simulatedTraces(world: World, requests: number, seed = 1): OutcomeTable {
  const table = createOutcomeTable(requests + 1)
  let left = requests
  for (const { assignment, failed, ...outcome } of simulatedRequests(world, NO_HARM, seededRandom(seed))) {
    if (failed) continue
    left -= 1
    if (left < 0) return table
    const { variant } = assignment
    table.add({
      ...assignment,
      ...outcome,
      variant: variant === CONTROL ? CONTROL : 'sentence-mode',
      failed: null,
      startedAt: null,
      id: null,
    })
  }
  return table
}

export interface Coverage {
  /** Share of the experiments whose 95 % interval contains the true lift. */
  covered: number
  /** Share of the experiments with a p value below .05. */
  significant: number
}

/** Simulates many experiments without a difference, so that the true lift is 0. */
export function coverage(world: World, { experiments = 2_000, requests = 4_000, seed = 1 } = {}) {
  const found = Object.fromEntries(MEASURES.map(measure => [measure, { covered: 0, significant: 0 }])) as Record<
    MeasureName,
    Coverage
  >
  for (let run = 0; run < experiments; run++) {
    const { treatment, control } = simulatedColumns(world, NO_HARM, requests, seed + run * 7_919)
    for (const { measure, low, high, p } of liftsOf(treatment, control)) {
      found[measure].covered += Number(low <= 0 && high >= 0) / experiments
      found[measure].significant += Number(p < 0.05) / experiments
    }
  }
  return found
}

export interface Trips {
  /** Numbers of requests after which the judge showed harm, sorted. */
  at: number[]
  triggers: Record<string, number>
}

/** Lets a new judge look after every request of each simulated experiment. */
export function judged(
  world: World,
  treatment: Behaviour,
  { experiments = 1_000, requests = 20_000, seed = 1 } = {},
): Trips {
  const trips: Trips = { at: [], triggers: {} }
  for (let run = 0; run < experiments; run++) {
    const judge = createRollbackJudge()
    let seen = 0
    for (const outcome of simulatedRequests(world, treatment, seededRandom(seed + run * 7_919))) {
      judge.add(outcome)
      seen += 1
      const harm = judge.verdict()
      if (harm) {
        trips.at.push(seen)
        trips.triggers[harm.trigger] = (trips.triggers[harm.trigger] ?? 0) + 1
      }
      if (harm || seen >= requests) break
    }
  }
  trips.at.sort((left, right) => left - right)
  return trips
}
