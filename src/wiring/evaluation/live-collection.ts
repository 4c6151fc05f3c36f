import { createQdrantStore } from '../../adapters/qdrant/store.ts'
import { type Config, loadConfig } from '../../config.ts'
import type { JsonObject } from '../../core/types.ts'
import { type Opened, openTogether } from '../../core/work/opened.ts'
import { type CollectionReader, createCollectionReader } from '../../evaluation/golden-set/collection-reader.ts'
import type { LiveCollection } from '../../evaluation/golden-set/collection-set.ts'
import type { AskedBy, AskedCollection } from '../../evaluation/replay/sources.ts'
import { createQdrantHttp, readForCommand } from '../../qdrant/client.ts'
import { isObject } from '../../qdrant/json.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { readTenants } from '../tenants.ts'
import { openExisting } from '../upstream.ts'

/** A collection on a server. Without a URL it is on the configured one. */
interface LiveAddress {
  url?: string
  apiKey?: string
  collection: string
}

/** Opens a live collection for reading gold passages. */
export function openLiveCollection(address: LiveAddress): Promise<LiveCollection & { close(): Promise<void> }> {
  return openTogether(async opened => {
    const { reader, tenants } = await open(loadConfig(), address, opened)
    return { ...reader, refusalOf: tenants.refusalOf, conditionOf: tenants.conditionOf, close: opened.close }
  })
}

/** Opens a live collection for asking the queries of a golden set. */
export function openAskedCollection(config: Config, address: LiveAddress): Promise<AskedCollection> {
  return openTogether(async opened => {
    const { collection } = address
    const { http, apiKey, tenants } = await open(config, address, opened)
    const asOperator: AskedBy = { apiKey, condition: null }
    const path = collectionPath(collection, 'points/count')
    const count = async (body: JsonObject): Promise<number> => {
      const counted = await readForCommand(http, { method: 'POST', path, body: { exact: false, ...body }, apiKey })
      return isObject(counted) ? Number(counted.count) : 0
    }
    // Strict mode refuses a filter without an index, and then the collection has no parents, or they count too.
    const parents = count({ filter: { must: [{ key: 'is_parent', match: { value: true } }] } }).catch(() => 0)
    const chunks = (await count({})) - (await parents)
    return {
      store: createQdrantStore({ http, mappings: config.settings.MAPPINGS ?? {} }),
      collection,
      chunks,
      askedBy: ({ tenant }) =>
        tenant === null ? asOperator : { apiKey: tenants.keyOf(tenant), condition: tenants.conditionOf(tenant) },
      close: opened.close,
    }
  })
}

async function open(config: Config, { collection, ...where }: LiveAddress, opened: Opened) {
  const directory = await readTenants(config)
  const { url, apiKey } = opened.keep(await openExisting(config, where))
  const http = opened.keep(createQdrantHttp(url))
  const mapping = config.settings.MAPPINGS?.[collection]
  const reader: CollectionReader = createCollectionReader({ http, apiKey, collection, mapping })
  const declared = (name: string) => directory?.tenants.find(tenant => tenant.name === name) ?? null
  const tenants = {
    refusalOf: (name: string): string | null => {
      if (directory === null) return null
      const tenant = declared(name)
      if (tenant === null) return 'TENANTS_FILE declares no such tenant'
      return tenant.reaches(collection) ? null : `the tenant does not reach the collection ${collection}`
    },
    /** Without TENANTS_FILE, the points that `stowage ingest --tenant` marks. */
    conditionOf: (name: string): JsonObject | null =>
      directory === null ? { must: [{ key: 'tenant', match: { value: name } }] } : (declared(name)?.condition ?? null),
    /** The key of a tenant belongs to the configured server. */
    keyOf: (name: string): string | null =>
      directory === null || where.url !== undefined ? apiKey : (declared(name)?.upstreamKey ?? null),
  }
  return { http, apiKey, reader, tenants }
}
