import { getOrInsert } from '../../core/collections.ts'
import type { PassageStore, StoreCall } from '../../core/ports.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { PipelinePorts } from '../../pipeline/services.ts'
import type { Arm } from '../arms/arm.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import { PortCache } from './cached-ports.ts'

/** Who asks a query: the key and the condition of its reads. */
export type AskedBy = Pick<StoreCall, 'apiKey' | 'condition'>

/** The collection that the queries of a set are asked in. */
export interface AskedCollection {
  store: PassageStore
  collection: string
  /** Points of the collection. */
  chunks: number
  askedBy(query: GoldenQuery): AskedBy
  close(): Promise<void>
}

/** A collection that is asked, with what its ports answered for each query that is in work. */
export interface Source extends AskedCollection {
  cacheOf(query: GoldenQuery): PortCache
  /** Lets go what was kept for a query. */
  forget(query: GoldenQuery): void
}

/** The collections of a set: plain, with contexts, or both. */
interface Sources extends Pick<Source, 'forget' | 'close'> {
  first: Source
  /** The collection that a plan reads. */
  of(plan: Plan): Source
}

/** Whether an arm searches chunks with contexts. A running stowage knows that itself. */
export const isContextual = (arm: Arm): boolean => arm.kind === 'plan' && arm.plan.retrieval.contextual

/** Opens the collections that the arms of this process read, one after the other. A server arm reads its own. */
export async function openSources(
  arms: readonly Arm[],
  ports: Omit<PipelinePorts, 'store'>,
  open: (contextual: boolean) => Promise<AskedCollection>,
): Promise<Sources> {
  const sources = new Map<boolean, Source>()
  const close = async () => {
    for (const source of sources.values()) await source.close()
  }
  try {
    const kinds = new Set(arms.filter(({ kind }) => kind === 'plan').map(isContextual))
    for (const contextual of [...kinds].sort()) sources.set(contextual, withCaches(await open(contextual), ports))
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
      for (const source of sources.values()) source.forget(query)
    },
    close,
  }
}

function withCaches(asked: AskedCollection, ports: Omit<PipelinePorts, 'store'>): Source {
  const caches = new Map<GoldenQuery, PortCache>()
  return {
    ...asked,
    cacheOf: query => getOrInsert(caches, query, () => new PortCache({ ...ports, store: asked.store })),
    forget: query => void caches.delete(query),
  }
}
