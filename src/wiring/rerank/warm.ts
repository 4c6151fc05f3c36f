import { openLiveCollection } from '../../adapters/contextualize/live-collection.ts'
import type { WarmCommandDependencies, WarmSummary } from '../../commands/reranker/warm.ts'
import { type Config, loadConfig } from '../../config.ts'
import type { LiveCollection } from '../../contextualize/live-collection.ts'
import { getOrInsert } from '../../core/collections.ts'
import { badRequest } from '../../core/errors.ts'
import type { Reranker } from '../../core/ports.ts'
import type { Chunk } from '../../core/types.ts'
import { openTogether } from '../../core/work/opened.ts'
import { passageOf } from '../../pipeline/rerank/passage.ts'
import { createQdrantHttp } from '../../qdrant/client.ts'
import { isParent } from '../../qdrant/payload/read-chunk.ts'
import { isGeneralTitle, titleKey } from '../../text/names/document-name.ts'
import { type Models, openModels } from '../models.ts'
import { openExisting } from '../upstream.ts'

/** For `stowage warm`. */
export const openWarm: WarmCommandDependencies['open'] = async where => {
  const config = loadConfig()
  const {
    RERANK_DISK_PATH: folder,
    RERANK_DISK_MB: megabytes,
    MAPPINGS: mappings = {},
    EMBEDDED_PATH,
  } = config.settings
  if (folder === undefined)
    throw badRequest('RERANK_DISK_PATH is not set: it names the folder that keeps what the reranker reads')
  return openTogether(async opened => {
    const upstream = opened.keep(await openExisting(config, where))
    const models = opened.keep(await openModels(config, { wanted: { embedder: false, reranker: true } }))
    const read = readerOf(models, config)
    const http = opened.keep(createQdrantHttp(upstream.url))
    let deleted = 0
    return {
      place: upstream.embedded ? (EMBEDDED_PATH ?? upstream.url) : upstream.url,
      folder,
      warnings: () => [
        ...models.warnings,
        ...(deleted > 0
          ? [
              `RERANK_DISK_MB=${megabytes}: it has no room for all; ${deleted} passages that were not used for longest are deleted`,
            ]
          : []),
      ],
      async warm(name, onProgress) {
        const { apiKey } = upstream
        const collection = openLiveCollection({ http, apiKey, collection: name, mapping: mappings[name] })
        return warmCollection(
          collection,
          async passages => {
            const result = await read(passages, NEVER)
            deleted = result.deleted
            return result
          },
          onProgress,
        )
      },
      close: opened.close,
    }
  })
}

type Warm = NonNullable<Reranker['warm']>

/** Ctrl-C ends the process; what was read by then is kept. */
const NEVER = new AbortController().signal

/** @throws StowageError when the reranker of the configuration keeps nothing in a folder */
function readerOf({ reranker, unavailable, warnings }: Models, { plan, settings }: Config): Warm {
  if (reranker?.warm) return reranker.warm
  const reason =
    plan.rerank.method !== 'crossencoder'
      ? `RERANKER=${plan.rerank.method}: passages are read ahead by a local reranker only (RERANKER=crossencoder)`
      : settings.RERANK_MEMORY_MB === 0
        ? 'RERANK_MEMORY_MB=0: the reranker reads each pair as a whole, so nothing can be kept'
        : (unavailable.reranker ??
          warnings[0] ??
          'RERANK_MODEL: this model reads each pair as a whole, so nothing can be kept')
  throw badRequest(reason)
}

async function warmCollection(
  collection: LiveCollection,
  read: (passages: string[]) => ReturnType<Warm>,
  onProgress: (points: { done: number; total: number }) => void,
): Promise<WarmSummary> {
  const total = (await collection.layout()).points
  const shared = await sharedTitles(collection)
  const summary: WarmSummary = { collection: collection.name, passages: 0, known: 0, read: 0, withoutText: 0 }
  let done = 0
  for await (const page of collection.pages()) {
    const chunks = page.filter(({ payload }) => !isParent(payload)).map(({ chunk }) => chunk)
    // Searches rerank points without a text, too, by their headings.
    const result = await read([...new Set(chunks.flatMap(chunk => passagesOf(chunk, shared)))])
    summary.known += result.known
    summary.read += result.read
    summary.withoutText += chunks.filter(({ text }) => text.trim() === '').length
    done += page.length
    onProgress({ done, total })
  }
  summary.passages = summary.known + summary.read
  return summary
}

/**
 * What the reranker can be given of a chunk: with what its path says where the title says nothing, and in both ways where a search can find another document of the
 * same title.
 */
function passagesOf(chunk: Chunk, shared: ReadonlySet<string>): string[] {
  const named = passageOf({ chunk, sourceName: chunk.docName })
  if (isGeneralTitle(titleKey(chunk))) return [named]
  return shared.has(titleKey(chunk)) ? [passageOf({ chunk }), named] : [passageOf({ chunk })]
}

/** The titles that several documents of a collection have. */
async function sharedTitles(collection: LiveCollection): Promise<ReadonlySet<string>> {
  const firstWith = new Map<string, string>()
  const shared = new Set<string>()
  for await (const page of collection.pages())
    for (const { chunk } of page) {
      const title = titleKey(chunk)
      const first = getOrInsert(firstWith, title, () => chunk.docId)
      if (first !== chunk.docId && title !== '') shared.add(title)
    }
  return shared
}
