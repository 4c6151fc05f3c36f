import { loadConfig } from '../../../src/config.ts'
import { ingest } from '../../../src/ingest/ingest.ts'
import { ingestInto } from '../../../src/wiring/ingest.ts'
import { openModels } from '../../../src/wiring/models.ts'
import { readIsharoth } from '../world.ts'

/** Ingests the golden set `isharoth` as `stowage ingest` would. @returns its questions, and the number of chunks */
export async function ingestIsharoth(
  url: string,
  collection: string,
): Promise<{ questions: string[]; chunks: number }> {
  const { documents, queries } = await readIsharoth()
  const config = loadConfig()
  const models = await openModels(config, { wanted: { embedder: true, reranker: false } })
  try {
    const target = ingestInto({ url, apiKey: null }, models.embedder, config.plan.tokenizerModel)
    const { chunks } = await ingest(documents, target, { collection })
    return { questions: queries.map(({ query }) => query), chunks }
  } finally {
    await models.close()
  }
}
