import type { CollectionLayout } from './ingest-target.ts'

/** What doctor asks of Qdrant. Errors are `StowageError`s. */
export interface CollectionProbe {
  serverVersion(): Promise<string>
  /** Null when there is no such collection. */
  layout(collection: string): Promise<CollectionLayout | null>
  /** Payloads of some points. */
  sample(collection: string, limit: number): Promise<unknown[]>
}
