import type { TokenUsage } from '../contexts/context.ts'

/** The contexts of a collection, as far as a caller may read its points. */
export interface CollectionContexts {
  /** Points that were looked at. */
  points: number
  /** Whether there are more points than were looked at. */
  isPartial: boolean
  withoutText: number
  /** Points with a context of their present text. */
  withContext: number
  /** Points whose text has changed since their context was written. */
  outdated: number
  /** Contexts by the name of their model. */
  byModel: Readonly<Record<string, number>>
  /** Contexts by their quality: the lower end of each fifth, such as '0.8'. */
  byQuality: Readonly<Record<string, number>>
  /** Tokens of all contexts. */
  tokens: number
  /** What the models of all runs used; null for a tenant, because it concerns all tenants. */
  spent: { calls: number; usage: TokenUsage; dollars: number | null } | null
}
