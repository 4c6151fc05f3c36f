import { groupBy } from '../../../core/collections.ts'
import type { Route } from './route.ts'

/** A row of the table that a request meets. */
export interface FoundRoute {
  readonly route: Route
  /** Parts of the path by their names in the table. */
  readonly parts: Readonly<Record<string, string>>
}

type FindRoute = (method: string, segments: readonly string[]) => FoundRoute | null

interface Pattern {
  readonly route: Route
  readonly names: readonly (string | null)[]
  readonly segments: readonly string[]
}

const PLACEHOLDER = /^\{(\w+)\}$/

/**
 * Looks up the routes of a table. Where several rows meet a path, a fixed segment comes before a placeholder, from left to right,
 * and among the same paths a method before `*`.
 */
export function createFindRoute(table: readonly Route[]): FindRoute {
  const patterns = table.map(toPattern).sort(byPrecision)
  const byLength = groupBy(patterns, ({ segments }) => segments.length)
  return (method, segments) => {
    const found = (byLength.get(segments.length) ?? []).find(
      ({ route, names, segments: fixed }) =>
        (route.method === method || route.method === '*') &&
        segments.every((segment, at) => names[at] !== null || fixed[at] === segment),
    )
    if (found === undefined) return null
    const parts = found.names.flatMap((name, at) => (name === null ? [] : [[name, segments[at] ?? ''] as const]))
    return { route: found.route, parts: Object.fromEntries(parts) }
  }
}

function toPattern(route: Route): Pattern {
  const segments = route.path.split('/').filter(segment => segment !== '')
  return { route, segments, names: segments.map(segment => PLACEHOLDER.exec(segment)?.[1] ?? null) }
}

function byPrecision(one: Pattern, other: Pattern): number {
  for (const [at, name] of one.names.entries()) {
    const difference = Number(name !== null) - Number(other.names[at] != null)
    if (difference !== 0) return difference
  }
  return Number(one.route.method === '*') - Number(other.route.method === '*')
}
