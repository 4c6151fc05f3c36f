import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { projectVariables } from '../../src/projects/encoder-variables.ts'
import type { ProjectEncoder } from '../../src/projects/project.ts'
import { cosine } from '../../src/text/similarity.ts'
import { openIngestEmbedder } from '../../src/wiring/ingest.ts'
import { TINY_EMBEDDER } from '../support/model-folders.ts'

it('ingest encodes with the prefixes of a project, and knows their version before it loads the model', async () => {
  const open = async (prefix: string) => {
    const encoder = { kind: 'local' as const, model: TINY_EMBEDDER, query_prefix: prefix, passage_prefix: prefix }
    const { embedder } = await openIngestEmbedder(loadConfig({ EMBEDDER: 'none' }, projectVariables({ encoder })))
    if (embedder === null) throw new Error('no embedder')
    return embedder
  }
  const [ours, other] = [await open('of both sides '), await open('of others ')]
  expect(ours.version).toMatch(/^tiny-embedder:32:mean_[0-9a-f]{8}$/)
  expect(ours.version).not.toBe(other.version)
  // The model's own prefixes differ, so equal vectors show that both were replaced.
  const [passage = new Float32Array()] = await ours.embedPassages(['key'])
  expect(cosine(await ours.embedQuery('key'), passage)).toBeCloseTo(1, 6)
  await Promise.all([ours.close(), other.close()])
})

it.each([
  [{}, false],
  [{ EMBEDDER: 'none' }, false],
  [{ EMBEDDER: 'none' }, true, { kind: 'openai' as const, model: 'm', base_url: 'http://127.0.0.1:9/v1' }],
  [{ EMBEDDER: 'openai', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', EMBEDDING_MODEL: 'm' }, true],
  [{ EMBEDDING_MODEL: '/absent' }, true],
])('knows whether an embedder was asked for: %j', async (environment, isSet, encoder?: ProjectEncoder) => {
  const config = loadConfig(environment, encoder && projectVariables({ encoder }))
  const opened = await openIngestEmbedder(config)
  await opened.embedder?.close()
  expect(opened.isSet).toBe(isSet)
})
