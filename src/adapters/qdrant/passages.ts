import { groupBy } from '../../core/collections.ts'
import { prefixOf } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'
import type { ReadPassages } from '../../http/ui/passages.ts'
import { startDeadline } from '../../pipeline/deadline.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import type { PayloadMappings } from '../../qdrant/payload/mappings.ts'
import { readChunk } from '../../qdrant/payload/read-chunk.ts'
import { readAmong } from './read-among.ts'

interface PassageReaderOptions {
  http: Pick<QdrantHttp, 'read'>
  mappings?: PayloadMappings | undefined
  deadlineMs: number
}

/** In UTF-16 code units. Most passages have fewer than 3,000. */
const LONGEST_TEXT = 20_000

/** Reads points by their ids, one request per collection, always under the condition of the caller. */
export function createPassageReader({ http, mappings, deadlineMs }: PassageReaderOptions): ReadPassages {
  return async (points, { apiKey, tenant, signal }) => {
    const deadline = startDeadline(signal, deadlineMs)
    try {
      const call = { apiKey, condition: tenant?.condition ?? null, signal: deadline.signal }
      const read = [...groupBy(points, ({ collection }) => collection)].map(async ([collection, named]) => {
        const among = { has_id: named.map(({ id }) => id) }
        const found = await readAmong(http, { collection, among, limit: named.length, filter: null }, call)
        return found.map(point => passageOf(readChunk(point, collection, mappings?.[collection])))
      })
      return (await Promise.all(read)).flat()
    } finally {
      deadline.dispose()
    }
  }
}

function passageOf({ id, collection, docId, docTitle, sectionPath, text }: Chunk) {
  const cut = prefixOf(text, LONGEST_TEXT)
  return { collection, id, doc_id: docId, doc_title: docTitle, section_path: sectionPath, text: cut }
}
