import type { DropReason } from '../../core/vocabulary.ts'
import type { LossStep } from './steps.ts'

/** The candidate that decided about a gold passage: of those that hold it, the most of it that is not in the context. */
export interface GoldHolder {
  /** Point id as text. */
  id: string
  docId: string
  /** Why it is left out; null when it is packed. */
  reason: DropReason | null
  /** From 1: among the candidates that reached packing by value, or after fusion when the pool cut it; else null. */
  rank: number | null
}

/** What became of one gold passage. */
export interface GoldLoss {
  step: LossStep
  /** Share of it in the context, in [0,1]. */
  share: number
  /** Null when no candidate holds any of it. */
  holder: GoldHolder | null
}

/** Share of the gold passages in the best fill of the budget from some candidates, in [0,1]. */
export interface OracleShares {
  /** From the candidates of the retrieved lists. */
  lists: number
  /** From those of them that were neither dropped as copies nor cut by the pool. */
  pool: number
  /** From all that reached packing, fetched neighbours included. */
  packing: number
}

/** What became of the gold passages of one run, by one of the two rules of answer recall. */
export interface RuleLoss {
  /** In the order of the gold passages. */
  golds: GoldLoss[]
  oracle: OracleShares
}

/** What became of the gold passages of one run. */
export interface RunLoss {
  text: RuleLoss
  /** Null when the place of a gold passage or of a packed chunk is unknown. */
  place: RuleLoss | null
}

/** How the tables name the two rules. */
export const LOSS_RULES = ['text', 'place'] as const
export type LossRule = (typeof LOSS_RULES)[number]
