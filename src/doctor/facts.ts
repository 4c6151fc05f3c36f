import { StowageError } from '../core/errors.ts'
import type { CollectionLayout } from '../ingest/target.ts'

/** Reads from Qdrant for doctor. All methods throw StowageError. */
export interface CollectionProbe {
  serverVersion(): Promise<string>
  /** Null when the collection does not exist. */
  layout(collection: string): Promise<CollectionLayout | null>
  /** Payloads of at most `limit` points. */
  sample(collection: string, limit: number): Promise<unknown[]>
}

/** The setup of this process. */
export interface Setup {
  url: string
  /** True when the embedded engine serves `url`. */
  embedded: boolean
  embedder: { version: string; dimensions: number } | null
  /** Why a model could not be loaded; null when it is loaded or not used. */
  unavailable: { embedder: string | null; reranker: string | null }
}

export interface CollectionFacts {
  name: string
  /** Null when the collection does not exist. */
  layout: CollectionLayout | null
  samples: unknown[]
}

/** Facts, or the reason why they could not be read. */
export type Seen<Facts> = { facts: Facts; fault: null } | { facts: null; fault: string }

export interface DoctorFacts {
  setup: Setup
  server: Seen<{ version: string }>
  /** Null when no collection was named, or the server does not answer. */
  collection: Seen<CollectionFacts> | null
}

const SAMPLES = 50

/** Reads everything that the checks need. A failure becomes a fault of the facts. */
export async function gatherFacts(
  setup: Setup,
  probe: CollectionProbe,
  collection: string | null,
): Promise<DoctorFacts> {
  const server = await see(async () => ({ version: await probe.serverVersion() }))
  if (collection === null || server.fault !== null) return { setup, server, collection: null }
  const seen = await see(async () => {
    const layout = await probe.layout(collection)
    return { name: collection, layout, samples: layout === null ? [] : await probe.sample(collection, SAMPLES) }
  })
  return { setup, server, collection: seen }
}

async function see<Facts>(read: () => Promise<Facts>): Promise<Seen<Facts>> {
  try {
    return { facts: await read(), fault: null }
  } catch (error) {
    if (!(error instanceof StowageError)) throw error
    return { facts: null, fault: error.message }
  }
}
