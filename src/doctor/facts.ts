import { StowageError } from '../core/errors.ts'
import type { Embedder, Reranker } from '../core/ports.ts'
import type { CollectionLayout } from '../ingest/target.ts'
import type { PayloadMappings } from '../qdrant/payload/mappings.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { RerankNodeState } from './rerank-checks.ts'
import { gatherTenantFacts, type TenantFacts, type TenantProbe } from './tenant-facts.ts'

/** What answers at the address of Qdrant. */
export type ServerState =
  | {
      kind: 'qdrant'
      version: string /** The fetch of Node and browsers forbids this port. */
      refusedByFetch: boolean
    }
  | { kind: 'key_refused'; status: number /** Whether a key was sent. */; hasKey: boolean }
  | { kind: 'nobody'; reason: string }
  | { kind: 'speaks_tls' }
  | { kind: 'speaks_plain_http' }
  | { kind: 'bad_certificate'; reason: string }
  | { kind: 'other_service'; detail: string }

/** Reads from Qdrant for doctor. */
export interface CollectionProbe extends TenantProbe {
  server(): Promise<ServerState>
  /** Null when the collection does not exist. @throws StowageError */
  layout(collection: string): Promise<CollectionLayout | null>
  /** Payloads of at most `limit` points. @throws StowageError */
  sample(collection: string, limit: number): Promise<unknown[]>
}

export interface Setup {
  url: string
  /** True when the embedded engine serves `url`. */
  embedded: boolean
  embedder: Pick<Embedder, 'version' | 'dimensions' | 'languages'> | null
  /** The languages that the reranker was made for; absent: any, or no reranker is loaded. */
  reranker?: Pick<Reranker, 'languages'> | null
  /** Why a model could not be loaded; null when it is loaded or not used. */
  unavailable: { embedder: string | null; reranker: string | null }
  /** What the models that are there do worse than they could, one sentence each. */
  modelWarnings: readonly string[]
  /** What the endpoints of the reranker answered; absent without `RERANKER=http`. */
  rerankNodes?: readonly RerankNodeState[]
  /** Payload fields from MAPPINGS. */
  mappings: PayloadMappings
  /** Those of TENANTS_FILE; null without it. */
  tenants: readonly Tenant[] | null
  /** One sentence for each variable that looks like one of stowage and is none. */
  unknownVariables: readonly string[]
  /** Files and folders of settings that cannot be written, one sentence each. */
  unwritable: readonly string[]
  /** What keeps flags from having an effect, one sentence each. */
  flagFaults: readonly string[]
  /** Whether the store of REDIS_URL can be read and written, and the reason when it cannot. Absent without REDIS_URL. */
  sharedStore?: { fault: string | null } | null
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
  server: ServerState
  /** Null when no collection was named, or the server does not answer. */
  collection: Seen<CollectionFacts> | null
  /** Null without tenants, and when the server does not answer. */
  tenants: Seen<TenantFacts> | null
}

const SAMPLES = 50

/** Reads everything that the checks need. A failure becomes a fault of the facts. */
export async function gatherFacts(
  setup: Setup,
  probe: CollectionProbe,
  collection: string | null,
): Promise<DoctorFacts> {
  const server = await probe.server()
  if (server.kind !== 'qdrant') return { setup, server, collection: null, tenants: null }
  const { tenants } = setup
  return {
    setup,
    server,
    collection: collection === null ? null : await see(() => gatherCollection(collection, probe)),
    tenants: tenants === null ? null : await see(() => gatherTenantFacts(tenants, probe)),
  }
}

async function gatherCollection(name: string, probe: CollectionProbe): Promise<CollectionFacts> {
  const layout = await probe.layout(name)
  return { name, layout, samples: layout === null ? [] : await probe.sample(name, SAMPLES) }
}

async function see<Facts>(read: () => Promise<Facts>): Promise<Seen<Facts>> {
  try {
    return { facts: await read(), fault: null }
  } catch (error) {
    if (!(error instanceof StowageError)) throw error
    return { facts: null, fault: error.message }
  }
}
