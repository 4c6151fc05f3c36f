import { loadConfig } from '../../../src/config.ts'
import { ingest } from '../../../src/ingest/ingest.ts'
import { ingestInto } from '../../../src/wiring/ingest.ts'
import { openModels } from '../../../src/wiring/models.ts'
import { readIsharoth } from '../world.ts'

/** Ingests the golden set `isharoth` as `stowage ingest` would. @returns its questions */
export async function ingestIsharoth(url: string, collection: string): Promise<string[]> {
  const { documents, queries } = await readIsharoth()
  const config = loadConfig()
  const models = await openModels(config, { wanted: { embedder: true, reranker: false } })
  try {
    const target = ingestInto({ url, apiKey: null }, models.embedder, config.plan.tokenizerModel)
    await ingest(documents, target, { collection })
  } finally {
    await models.close()
  }
  return queries.map(({ query }) => query)
}
