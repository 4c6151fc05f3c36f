import { planFingerprint } from '../../pipeline/plan/derived.ts'
import { overridePlanByText } from '../../pipeline/plan/override-plan.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { drawValue, TUNED_VALUES } from './space.ts'

/** New plan values by path, as text. */
export type Changes = Readonly<Record<string, string>>

/** A plan that a search tries. */
export interface Candidate {
  name: string
  changes: Changes
  plan: Plan
}

/** A good plan differs from a good start in few values, and a plan of few changes is less fitted to the questions at hand. */
const MOST_CHANGES = 4

interface ProposalOptions {
  /** Number of candidates. */
  trials: number
  /** Paths of the values that change. */
  values: readonly string[]
  /** Uniform numbers in [0,1). */
  random: () => number
}

/**
 * Draws candidates around a plan: each changes one to four values, which are drawn anew from their ranges. All differ from the start and
 * from each other; there are fewer than wanted when the values allow no more.
 */
export function proposeCandidates(start: Plan, { trials, values, random }: ProposalOptions): Candidate[] {
  const known = new Set([planFingerprint(start)])
  const candidates: Candidate[] = []
  for (let drawn = 0; candidates.length < trials && drawn < trials * 20; drawn++) {
    const count = 1 + Math.floor(random() * Math.min(MOST_CHANGES, values.length))
    const changes = Object.fromEntries(drawSome(values, count, random).map(path => [path, drawNew(path, random)]))
    const candidate = createCandidate(`trial ${candidates.length + 1}`, start, changes)
    if (candidate === null || known.has(planFingerprint(candidate.plan))) continue
    known.add(planFingerprint(candidate.plan))
    candidates.push(candidate)
  }
  return candidates
}

/** The candidates that lack one change each; none for a candidate with a single change. */
export function withOneChangeLess(start: Plan, { name, changes }: Candidate): Candidate[] {
  const paths = Object.keys(changes)
  if (paths.length < 2) return []
  return paths.flatMap(left => {
    const kept = Object.fromEntries(Object.entries(changes).filter(([path]) => path !== left))
    return createCandidate(`${name} without ${left}`, start, kept) ?? []
  })
}

/** Null when the plan does not take the changes. Changes to the value that the plan has already are left out. */
function createCandidate(name: string, start: Plan, wanted: Changes): Candidate | null {
  const entries = Object.entries(wanted).filter(([path, value]) => {
    const { plan } = overridePlanByText(start, [{ path, value }])
    return planFingerprint(plan) !== planFingerprint(start)
  })
  const { plan, faults } = overridePlanByText(
    start,
    entries.map(([path, value]) => ({ path, value })),
  )
  return faults.length > 0 || entries.length === 0 ? null : { name, changes: Object.fromEntries(entries), plan }
}

function drawNew(path: string, random: () => number): string {
  const range = TUNED_VALUES[path]
  if (range === undefined) throw new RangeError(`${path} is not tuned`)
  return drawValue(range, random)
}

/** `count` items in random order, by the first steps of a Fisher–Yates shuffle. */
function drawSome<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const left = [...items]
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] as Item)
}
