import { type ChunkContext, type ContextWriter, NO_USAGE, type TokenUsage } from '../../contexts/context.ts'
import { addUsage, costOf, type ModelPrice } from '../../contexts/spending/prices.ts'

/** What the contexts of one writer took. */
interface ModelSpending {
  /** Where the model was last asked; null for the rules. */
  endpoint: string | null
  contexts: number
  /** Contexts of the rules that stand in the place of those of the model. */
  fallbacks: number
  calls: number
  usage: TokenUsage
}

/** Spending by the name of the model that was asked. */
export type Spending = Readonly<Record<string, ModelSpending>>

const NOTHING = { contexts: 0, fallbacks: 0, calls: 0, usage: NO_USAGE }

/** Who was asked, also when the context of the rules stands. */
export type AskedModel = Pick<ContextWriter, 'model' | 'endpoint'>

/** What a model costs; undefined when nobody says it. */
export type FindPrice = (asked: AskedModel) => ModelPrice | undefined

export function addSpending(spending: Spending, { model, endpoint }: AskedModel, context: ChunkContext): Spending {
  const { fallback, calls, usage } = context
  return sumOfSpending(spending, {
    [model]: { endpoint, contexts: 1, fallbacks: fallback === null ? 0 : 1, calls, usage },
  })
}

/** What two states spent together. */
export function sumOfSpending(one: Spending, other: Spending): Spending {
  const sum: Record<string, ModelSpending> = { ...one }
  for (const [model, spent] of Object.entries(other)) {
    const before = sum[model] ?? NOTHING
    sum[model] = {
      endpoint: spent.endpoint,
      contexts: before.contexts + spent.contexts,
      fallbacks: before.fallbacks + spent.fallbacks,
      calls: before.calls + spent.calls,
      usage: addUsage(before.usage, spent.usage),
    }
  }
  return sum
}

/** US dollars of all models; null when a model that was used has no price. */
export function dollarsOf(spending: Spending, findPrice: FindPrice): number | null {
  let sum = 0
  for (const [model, { endpoint, usage }] of Object.entries(spending)) {
    const cost = costOf(usage, findPrice({ model, endpoint }))
    if (cost === null) return null
    sum += cost
  }
  return sum
}
