/** A third of the candidates goes on, with three times the queries. */
const ETA = 3
/** A rung of fewer queries would choose by chance. */
const FEWEST_QUERIES = 12

/** One round of a search. */
export interface Rung {
  /** Candidates that are measured. */
  candidates: number
  /** Share of the queries that they are measured on, in (0,1]. */
  share: number
}

/**
 * Plans a search by successive halving (Jamieson & Talwalkar 2016; η = 3 as in Li et al. 2018): many candidates on few queries, the best
 * third of them on three times as many, and so on up to all queries. The first rung is as small as the numbers of trials and queries allow.
 */
export function rungsOf(trials: number, queries: number): Rung[] {
  const byTrials = Math.floor(Math.log(trials) / Math.log(ETA))
  const byQueries = Math.floor(Math.log(queries / FEWEST_QUERIES) / Math.log(ETA))
  const halvings = Math.max(0, Math.min(byTrials, byQueries))
  return Array.from({ length: halvings + 1 }, (_, rung) => ({
    candidates: Math.ceil(trials / ETA ** rung),
    share: ETA ** (rung - halvings),
  }))
}

/**
 * Runs the rungs. Equal values keep the order of the candidates.
 * @param measure the value of each candidate on a share of the queries; more is better
 * @returns the candidates of the last rung, best first
 */
export async function halve<Candidate>(
  candidates: readonly Candidate[],
  rungs: readonly Rung[],
  measure: (candidates: readonly Candidate[], share: number, rung: number) => Promise<readonly number[]>,
): Promise<Candidate[]> {
  let left = [...candidates]
  for (const [at, { candidates: count, share }] of rungs.entries()) {
    const tried = left.slice(0, count)
    const values = await measure(tried, share, at)
    left = tried
      .map((candidate, index) => ({ candidate, value: values[index] ?? Number.NEGATIVE_INFINITY }))
      .sort((one, other) => other.value - one.value)
      .map(({ candidate }) => candidate)
  }
  return left
}
