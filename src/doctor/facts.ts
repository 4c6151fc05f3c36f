import { StowageError } from '../core/errors.ts'
import type { CollectionLayout } from '../ingest/target.ts'

/** What doctor asks of Qdrant. Errors are `StowageError`s. */
export interface CollectionProbe {
  serverVersion(): Promise<string>
  /** Null when there is no such collection. */
  layout(collection: string): Promise<CollectionLayout | null>
  /** Payloads of some points. */
  sample(collection: string, limit: number): Promise<unknown[]>
}

/** What is set up in this process. */
export interface Setup {
  url: string
  /** Whether the embedded engine answers at the URL. */
  embedded: boolean
  embedder: { version: string; dimensions: number } | null
  /** Why a model that is wanted is not there; null when it is there, or not wanted. */
  unavailable: { embedder: string | null; reranker: string | null }
}

/** What was seen of a collection: `layout` null when it does not exist. */
export interface CollectionFacts {
  name: string
  layout: CollectionLayout | null
  samples: unknown[]
}

/** Something that was looked at, or why it could not be. */
export type Seen<Facts> = { facts: Facts; fault: null } | { facts: null; fault: string }

export interface DoctorFacts {
  setup: Setup
  server: Seen<{ version: string }>
  /** Null when no collection was asked about, or the server does not answer. */
  collection: Seen<CollectionFacts> | null
}

const SAMPLES = 50

/** Looks at everything the checks need. A failure is a fact, not an error. */
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

async function see<Facts>(look: () => Promise<Facts>): Promise<Seen<Facts>> {
  try {
    return { facts: await look(), fault: null }
  } catch (error) {
    if (!(error instanceof StowageError)) throw error
    return { facts: null, fault: error.message }
  }
}
