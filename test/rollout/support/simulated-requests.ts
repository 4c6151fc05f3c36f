import { CONTROL } from '../../../src/pipeline/plan/assignment.ts'
import type { TimedOutcome } from '../../../src/rollout/window.ts'

/** What a variant does to its requests. */
export interface Behaviour {
  /** Factor on all durations. */
  slower: number
  /** Added to the probability of a failure. */
  moreFailures: number
  /** Taken from the recall proxy. */
  lessRecall: number
}

export const NO_HARM: Behaviour = { slower: 1, moreFailures: 0, lessRecall: 0 }

export interface World {
  /** Share of the units that get the treatment. */
  share: number
  /** What is different from some request on. */
  later?: { from: number; world: Partial<Pick<World, 'share' | 'failures' | 'seconds' | 'recall'>> }
  unit: 'session' | 'request' | 'tenant'
  /** Mean number of requests of a unit; their number is geometric. */
  requestsPerUnit: number
  /** Units that send requests at the same time. */
  atOnce: number
  /** Probability that a request of the control fails. */
  failures: number
  /** Durations are log-normal: median of the control, and sigma of the part that a unit shares, and of each request's own. */
  seconds: number
  unitSigma: number
  requestSigma: number
  /** Mean of the recall proxy of the control, and how much it varies between units and between requests. */
  recall: number
  recallOfUnits: number
  recallOfRequests: number
}

/** Sessions of five requests on average, with durations and recall proxies that differ much between sessions. */
export const SESSIONS: World = {
  share: 0.1,
  unit: 'session',
  requestsPerUnit: 5,
  atOnce: 40,
  failures: 0.01,
  seconds: 0.3,
  unitSigma: 0.4,
  requestSigma: 0.5,
  recall: 0.8,
  recallOfUnits: 0.1,
  recallOfRequests: 0.15,
}

interface SimulatedUnit {
  id: string
  /** In [0,1): who is below the share of the treatment gets it, so some units change sides with the share. */
  place: number
  slowness: number
  /** How much its recall proxy is above the mean. */
  recall: number
  frailty: number
  left: number
}

/** Outcomes without end: `atOnce` units are open, one of them sends the next request, and who is done is replaced. */
export function* simulatedRequests(
  world: World,
  treatment: Behaviour,
  random: () => number,
): Generator<TimedOutcome, never> {
  const normal = normalNumbers(random)
  let made = 0
  const newUnit = (): SimulatedUnit => {
    made += 1
    return {
      id: `unit-${made}`,
      place: random(),
      slowness: world.unitSigma * normal(),
      recall: world.recallOfUnits * normal(),
      // A few units have most of the failures: the mean is 1.
      frailty: random() < 0.2 ? 4 : 0.25,
      left: 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - 1 / world.requestsPerUnit)),
    }
  }
  const open = Array.from({ length: world.atOnce }, newUnit)
  for (let sent = 1; ; sent++) {
    const now = { ...world, ...(world.later !== undefined && sent >= world.later.from && world.later.world) }
    const place = Math.floor(random() * open.length)
    const unit = open[place] ?? newUnit()
    const variant = unit.place < now.share ? 'treatment' : CONTROL
    const behaviour = variant === CONTROL ? NO_HARM : treatment
    const failed = random() < unit.frailty * now.failures + behaviour.moreFailures
    const recall = now.recall + unit.recall + world.recallOfRequests * normal() - behaviour.lessRecall
    yield {
      assignment: {
        experiment: 'simulated',
        variant,
        unit: world.unit,
        share: variant === CONTROL ? 1 - now.share : now.share,
      },
      startedAt: sent,
      unitId: unit.id,
      endpoint: 'context',
      failed,
      seconds: now.seconds * behaviour.slower * Math.exp(unit.slowness + world.requestSigma * normal()),
      recallProxy: failed ? null : Math.min(1, Math.max(0, recall)),
      tokens: failed ? null : Math.round(1_500 + 300 * unit.slowness + 200 * normal()),
    }
    unit.left -= 1
    if (unit.left <= 0) open[place] = newUnit()
  }
}

/** Standard normal numbers (Box & Muller 1958). */
export function normalNumbers(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
