import { CONTEXT_FIELDS } from '../../contexts/payload-fields.ts'
import type { LiveCollection, LivePoint, PointChange } from '../../contextualize/live-collection.ts'
import { batchesOf } from '../../core/collections.ts'
import type { JsonObject, PointId } from '../../core/types.ts'
import { notUnderstood, statusOf } from '../../qdrant/errors.ts'
import { parseJson, printJson } from '../../qdrant/json.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { type PayloadMapping, readChunk } from '../../qdrant/payload/read-chunk.ts'
import { POINTS_OF_PAGE, readPointId } from '../../qdrant/points.ts'
import { elements, kindOf, members, printMembers } from '../../qdrant/raw-json.ts'
import { readLayout, readPayloadIndex, record } from '../qdrant/layout.ts'
import { createRequests, type RequestsOptions } from './requests.ts'

interface LiveCollectionOptions extends RequestsOptions {
  collection: string
  mapping?: PayloadMapping | undefined
}

const NOT_FOUND = 404

/**
 * A live collection on a server. Answers are cut
 * into raw slices, so that the numbers of vectors stay as the server printed them and ids of 64 bits keep every digit.
 */
export function openLiveCollection({ collection, mapping, ...server }: LiveCollectionOptions): LiveCollection {
  const request = createRequests(server)
  const send = (method: 'GET' | 'POST', rest: string, body: string | null) =>
    request(method, collectionPath(collection, rest), body)
  const info = async (): Promise<unknown> => parseJson(await send('GET', '', null))
  const post = (rest: string, body: JsonObject) => send('POST', rest, printJson(body))
  const pointOf = (raw: string): LivePoint => readPoint(raw, collection, mapping)

  async function read(ids: readonly PointId[], vectors: readonly string[] = []): Promise<LivePoint[]> {
    const found: LivePoint[] = []
    // The unnamed vector cannot be asked for by its name.
    const with_vector = vectors.includes('') ? true : vectors.length > 0 ? [...vectors] : false
    for (const batch of batchesOf(ids, POINTS_OF_PAGE)) {
      const page = await post('points', { ids: batch, with_payload: true, with_vector })
      for (const point of readElements(page).map(pointOf)) {
        const asked = [...point.vectors].filter(([name]) => vectors.includes(name))
        found.push({ ...point, vectors: new Map(asked) })
      }
    }
    return found
  }

  async function write(changes: readonly PointChange[]): Promise<void> {
    try {
      await send('POST', 'points/batch?wait=true', printOperations(changes))
    } catch (error) {
      if (statusOf(error) !== NOT_FOUND) throw error
      await writeOneByOne(changes, error)
    }
  }

  /** A point that has gone makes the server refuse the whole request. */
  async function writeOneByOne(changes: readonly PointChange[], refused: unknown): Promise<void> {
    const there = new Set((await read(changes.map(({ id }) => id))).map(({ id }) => String(id)))
    const [only] = changes
    if (changes.length === 1 && only && there.has(String(only.id))) throw refused
    if (changes.length > 1) for (const change of changes) if (there.has(String(change.id))) await write([change])
  }

  return {
    name: collection,
    read,
    write,
    layout: async () => readLayout(await info()),
    async names() {
      const { aliases } = record(parseJson(await request('GET', '/aliases', null)))
      const all = Array.isArray(aliases) ? aliases.map(record) : []
      const own = all.find(({ alias_name: alias }) => alias === collection)?.collection_name ?? collection
      const others = all
        .filter(({ collection_name: name }) => name === own)
        .map(({ alias_name: alias }) => String(alias))
      return [...new Set([collection, String(own), ...others])]
    },
    async tenantFields() {
      const found = await info()
      const fields = Object.keys(record(record(found).payload_schema))
      return fields.filter(field => readPayloadIndex(found, field)?.isTenant)
    },
    async *pages(filter) {
      let offset: string | null = null
      do {
        const body = printJson({
          ...(filter && { filter }),
          limit: POINTS_OF_PAGE,
          with_payload: true,
          with_vector: false,
        })
        const page = members(await send('POST', 'points/scroll', withOffset(body, offset)))
        const points = readElements(page.get('points') ?? '').map(pointOf)
        if (points.length > 0) yield points
        const next = page.get('next_page_offset') ?? 'null'
        offset = next === 'null' ? null : next
      } while (offset !== null)
    },
    async matching(ids, filter) {
      const found = new Set<string>()
      for (const among of batchesOf(ids, POINTS_OF_PAGE)) {
        const body = { filter: { must: [{ has_id: among }, filter] }, limit: among.length, with_payload: false }
        const page = members(await post('points/scroll', body))
        for (const point of readElements(page.get('points') ?? '')) found.add(String(pointOf(point).id))
      }
      return found
    },
  }
}

export function readElements(raw: string): string[] {
  if (kindOf(raw) !== 'array') throw notUnderstood('no list of points')
  return elements(raw)
}

function readPoint(raw: string, collection: string, mapping: PayloadMapping | undefined): LivePoint {
  const point = members(raw)
  const id = readPointId(parseJson(point.get('id') ?? 'null'))
  const payload = (parseJson(point.get('payload') ?? '{}') ?? {}) as JsonObject
  return {
    id,
    payload,
    chunk: readChunk({ id, payload }, collection, mapping),
    vectors: readVectors(point.get('vector')),
  }
}

/** A point of a collection with one unnamed vector has the vector itself, any other point an object of vectors by name. */
function readVectors(raw: string | undefined): ReadonlyMap<string, string> {
  if (raw === undefined || raw === 'null') return new Map()
  return kindOf(raw) === 'object' ? members(raw) : new Map([['', raw]])
}

/** Ids of 64 bits are handed back as they came. */
function withOffset(body: string, offset: string | null): string {
  return offset === null ? body : `${body.slice(0, -1)},"offset":${offset}}`
}

function printOperations(changes: readonly PointChange[]): string {
  const encoded = changes.filter(({ vectors }) => vectors.size > 0)
  const cleared = changes.filter(({ fields }) => fields === null).map(({ id }) => id)
  const operations = [
    ...(encoded.length === 0 ? [] : [`{"update_vectors":{"points":[${encoded.map(printVectors).join(',')}]}}`]),
    ...changes
      .filter(({ fields }) => fields !== null)
      .map(({ id, fields }) => printJson({ set_payload: { payload: fields, points: [id] } })),
    ...(cleared.length === 0 ? [] : [printJson({ delete_payload: { keys: [...CONTEXT_FIELDS], points: cleared } })]),
  ]
  return `{"operations":[${operations.join(',')}]}`
}

function printVectors({ id, vectors }: PointChange): string {
  return `{"id":${printJson(id)},"vector":${printMembers(vectors)}}`
}
