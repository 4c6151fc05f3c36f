import type { Plan } from '../../pipeline/plan/plan.ts'
import type { PipelinePorts } from '../../pipeline/services.ts'
import type { Arm } from '../arms/arm.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import { PortCache } from './cached-ports.ts'
import type { AskedCollection } from './run.ts'

/** A collection that is asked, with what its ports answered for each query that is in work. */
export interface Source extends AskedCollection {
  cacheOf(query: GoldenQuery, ports: Omit<PipelinePorts, 'store'>): PortCache
}

/** The collections of a set: plain, with contexts, or both. */
export interface Sources {
  first: Source
  /** The collection that a plan reads. */
  of(plan: Plan): Source
  /** Lets go what was kept for a query. */
  forget(query: GoldenQuery): void
  close(): Promise<void>
}

/** Whether an arm searches chunks with contexts. A running stowage knows that itself. */
export const isContextual = (arm: Arm): boolean => arm.kind === 'plan' && arm.plan.retrieval.contextual

/** Opens the collections that the arms read, one after the other. */
export async function openSources(
  arms: readonly Arm[],
  open: (contextual: boolean) => Promise<AskedCollection>,
): Promise<Sources> {
  const sources = new Map<boolean, Source>()
  const caches = new Map<boolean, Map<GoldenQuery, PortCache>>()
  const close = async () => {
    for (const source of sources.values()) await source.close()
  }
  const kinds = new Set(arms.map(isContextual))
  try {
    for (const contextual of kinds.size === 0 ? [false] : [...kinds].sort()) {
      const asked = await open(contextual)
      const known = new Map<GoldenQuery, PortCache>()
      caches.set(contextual, known)
      const cacheOf: Source['cacheOf'] = (query, ports) => {
        const cache = known.get(query) ?? new PortCache({ ...ports, store: asked.store })
        known.set(query, cache)
        return cache
      }
      sources.set(contextual, { ...asked, cacheOf })
    }
  } catch (error) {
    await close()
    throw error
  }
  const [first] = sources.values()
  if (first === undefined) throw new Error('no collection was opened')
  return {
    first,
    of: plan => sources.get(plan.retrieval.contextual) ?? first,
    forget: query => {
      for (const known of caches.values()) known.delete(query)
    },
    close,
  }
}
