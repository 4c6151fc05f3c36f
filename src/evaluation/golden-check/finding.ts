import { GOLDEN_FINDINGS, type GoldenFault, type GoldenFinding } from '../golden-set/golden-findings.ts'
import type { ExaminedSet, GoldenQuery } from '../golden-set/golden-set.ts'

/** What is wrong, or doubtful, at one place of a golden set. */
export interface Finding extends GoldenFault {
  set: string
  severity: 'error' | 'warning'
}

/** A query with where it stands. */
export interface PlacedQuery {
  set: string
  place: string
  query: GoldenQuery
}

/** @param severity where it is not that of the table */
export function finding(
  { set, place }: Pick<PlacedQuery, 'set' | 'place'>,
  code: GoldenFinding,
  text: string,
  severity: Finding['severity'] = GOLDEN_FINDINGS[code].severity,
): Finding {
  return { set, place, code, severity, text }
}

export function placedQueries({ set, rows }: ExaminedSet): PlacedQuery[] {
  return set.queries.map((query, at) => ({ set: set.name, place: rows[at]?.place ?? '', query }))
}

/** Where another query stands, as seen from `from`. */
export function otherPlace(from: PlacedQuery, other: PlacedQuery): string {
  return from.set === other.set ? other.place : `${other.set} ${other.place}`
}
