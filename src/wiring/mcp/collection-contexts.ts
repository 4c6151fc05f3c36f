import { openLiveCollection } from '../../adapters/contextualize/live-collection.ts'
import type { Config } from '../../config.ts'
import { NO_USAGE } from '../../contexts/context.ts'
import { addUsage } from '../../contexts/spending/prices.ts'
import type { LiveCollection, LivePoint } from '../../contextualize/live-collection.ts'
import { coverageOf } from '../../contextualize/report/coverage.ts'
import type { Spending } from '../../contextualize/state/spending.ts'
import { spendingIn, stateFolderOf } from '../../contextualize/state/state-folder.ts'
import type { McpCaller } from '../../mcp/caller.ts'
import type { CollectionContexts } from '../../mcp/services.ts'
import { type QdrantHttp, withoutFailureTexts } from '../../qdrant/client.ts'
import { refuseOthers } from '../../qdrant/condition.ts'
import { environmentOf } from '../contexts/contextualize.ts'

/** All payloads are read for the figures, so a call reads no more points than this. */
const MOST_POINTS = 20_000

interface Asked {
  collection: string
  caller: McpCaller
  signal: AbortSignal
}

/** Counts the contexts of the points that the caller may read. @throws StowageError `forbidden` for a collection that the tenant does not reach */
export async function readCollectionContexts(
  { config, http }: { config: Config; http: QdrantHttp },
  { collection: name, caller, signal }: Asked,
): Promise<CollectionContexts> {
  const { tenant, apiKey } = caller
  refuseOthers([name], caller)
  const { MAPPINGS: mappings, REQUEST_DEADLINE_MS: timeoutMs } = config.settings
  const collection = openLiveCollection({
    http: tenant === null ? http : withoutFailureTexts(http),
    apiKey,
    collection: name,
    mapping: mappings?.[name],
    signal,
    timeoutMs,
  })
  const first = firstPoints(collection, tenant?.condition ?? undefined, signal)
  const coverage = await coverageOf({ ...collection, pages: first.pages })
  return { ...coverage, isPartial: first.isPartial(), spent: caller.rights.has('operate') ? await spent() : null }

  async function spent() {
    const spending = spendingIn(stateFolderOf(name, config.settings.CONTEXT_STATE_FOLDER))
    const target = { collection: name, context: 'rules' as const, onlyPayload: true }
    const { dollars } = await environmentOf(config, target, { http, apiKey })
    return { ...sumOf(spending), dollars: dollars(spending) }
  }
}

function sumOf(spending: Spending) {
  const models = Object.values(spending)
  return {
    calls: models.reduce((sum, { calls }) => sum + calls, 0),
    usage: models.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
  }
}

/** The first points of a collection, and whether there were more. */
function firstPoints(collection: LiveCollection, filter: Parameters<LiveCollection['pages']>[0], signal: AbortSignal) {
  let read = 0
  let isPartial = false
  async function* pages(): AsyncGenerator<LivePoint[]> {
    for await (const page of collection.pages(filter)) {
      signal.throwIfAborted()
      if (read >= MOST_POINTS) {
        isPartial = true
        return
      }
      read += page.length
      yield page
    }
  }
  return { pages, isPartial: () => isPartial }
}
