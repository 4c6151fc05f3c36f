import { createManagedCollections } from '../adapters/qdrant/managed.ts'
import type { Config } from '../config.ts'
import type { Step } from '../http/step.ts'
import { createIngestionGuard } from '../ingestion-guard/guard.ts'
import type { Reporter } from '../observe/events.ts'
import type { QdrantHttp } from '../qdrant/client.ts'
import { matchesPattern } from '../tenants/patterns.ts'

/** The guard of managed collections; null when it is off. */
export function openIngestionGuard({ settings }: Config, http: QdrantHttp, reporter: Reporter): Step | null {
  const { INGESTION_GUARD: mode, INGESTION_GUARD_ALLOW_MIXED: allowMixed, MANAGED_COLLECTIONS: patterns } = settings
  if (mode === 'off') return null
  const isNamed = (collection: string) => patterns.some(pattern => matchesPattern(pattern, collection))
  const collections = createManagedCollections(http, isNamed)
  return createIngestionGuard({ collections, mode, allowMixed, report: event => reporter.upsertGuarded(event) })
}
