import type { Twin } from '../../contextualize/twin/twin.ts'
import { batchesOf } from '../../core/collections.ts'
import { StowageError } from '../../core/errors.ts'
import type { JsonObject, PointId } from '../../core/types.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { parseJson, printJson } from '../../qdrant/json.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { members } from '../../qdrant/raw-json.ts'
import { record } from '../qdrant/layout.ts'
import { readElements } from './live-collection.ts'
import { createRequests } from './requests.ts'

interface QdrantTwinOptions {
  http: QdrantHttp
  apiKey: string | null
  source: string
  twin: string
}

/** Points of a copy, with all their vectors. */
const COPIED = 100
/** What a creation takes of `config.params`. */
const PARAMETERS = [
  'vectors',
  'sparse_vectors',
  'shard_number',
  'replication_factor',
  'write_consistency_factor',
  'on_disk_payload',
]

/** A twin on the same server as its source. */
export function openQdrantTwin({ http, apiKey, source, twin }: QdrantTwinOptions): Twin {
  const request = createRequests({ http, apiKey })
  const info = async (collection: string): Promise<Record<string, unknown> | null> => {
    try {
      return record(parseJson(await request('GET', collectionPath(collection), null)))
    } catch (error) {
      if (error instanceof StowageError && error.code === 'collection_not_found') return null
      throw error
    }
  }

  return {
    async hasPoints() {
      if ((await info(twin)) === null) return false
      const body = printJson({ limit: 1, with_payload: false, with_vector: false })
      const page = members(await request('POST', collectionPath(twin, 'points/scroll'), body))
      return readElements(page.get('points') ?? '').length > 0
    },
    async create() {
      const original = (await info(source)) ?? {}
      if ((await info(twin)) === null)
        await request('PUT', collectionPath(twin), printJson(creationOf(record(original.config))))
      for (const [field_name, index] of Object.entries(record(original.payload_schema))) {
        const { data_type: type, params } = record(index)
        const body = { field_name, field_schema: params ?? type }
        await request('PUT', collectionPath(twin, 'index?wait=true'), printJson(body))
      }
    },
    async copy(ids) {
      for (const batch of batchesOf(ids, COPIED)) {
        const asked = { ids: batch, with_payload: true, with_vector: true }
        const points = readElements(await request('POST', collectionPath(source, 'points'), printJson(asked)))
        const body = `{"points":[${points.map(copyOf).join(',')}]}`
        if (points.length > 0) await request('PUT', collectionPath(twin, 'points?wait=true'), body)
      }
    },
    async remove(ids: readonly PointId[]) {
      await request('POST', collectionPath(twin, 'points/delete?wait=true'), printJson({ points: ids }))
    },
    async takeAlias(alias) {
      const { aliases } = record(parseJson(await request('GET', '/aliases', null)))
      const isTaken = Array.isArray(aliases) && aliases.some(entry => record(entry).alias_name === alias)
      const actions = [
        ...(isTaken ? [{ delete_alias: { alias_name: alias } }] : []),
        { create_alias: { alias_name: alias, collection_name: twin } },
      ]
      await request('POST', '/collections/aliases', printJson({ actions }))
    },
  }
}

function creationOf(config: Record<string, unknown>): JsonObject {
  const params = record(config.params)
  const sections = {
    ...Object.fromEntries(PARAMETERS.map(name => [name, params[name]])),
    ...{ hnsw_config: config.hnsw_config, optimizers_config: config.optimizer_config },
    ...{ quantization_config: config.quantization_config, metadata: config.metadata },
  }
  return withoutNulls(sections) as JsonObject
}

/** The server prints parameters without a value as null, and takes some of them only when they have one. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}

/** The raw parts of a point as a point to write. */
function copyOf(raw: string): string {
  const point = members(raw)
  return `{"id":${point.get('id')},"payload":${point.get('payload') ?? '{}'},"vector":${point.get('vector') ?? '{}'}}`
}
