import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { type Models, openModels } from '../../src/wiring/models.ts'
import { chunk } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'
import { TINY_CROSS_ENCODER, TINY_EMBEDDER } from '../support/model-folders.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { MODEL_MS } from '../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

let folder: string
let models: Models | null = null
beforeEach(() => {
  folder = temporaryFolder('stowage-clone')
})
afterEach(async () => {
  await models?.close()
  models = null
})

const open = async (reranker: string, embedder: string): Promise<Models> => {
  models = await openModels(loadConfig({ RERANK_MODEL: reranker, EMBEDDING_MODEL: embedder }))
  return models
}

describe('a clone that lacks the models', () => {
  it('goes without them and says which folder is not there, and by which variable another is named', async () => {
    const { embedder, reranker, unavailable } = await open(join(folder, 'no-reranker'), join(folder, 'no-embedder'))
    expect([embedder, reranker]).toEqual([null, null])
    expect(unavailable.reranker).toMatch(/RERANK_MODEL: there is no folder .*no-reranker/)
    expect(unavailable.embedder).toMatch(/EMBEDDING_MODEL: there is no folder .*no-embedder/)
  })

  it.each([
    ['filtered: the weights are not there', (weights: string) => rmSync(weights), /has no onnx\/model_quantized\.onnx/],
    [
      'without large files: a pointer stands for the weights',
      (weights: string) => writeFileSync(weights, 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'),
      /only a pointer file of \d+ bytes for onnx\/model_quantized\.onnx/,
    ],
  ])('%s', async (_name, spoil, said) => {
    const [reranker, embedder] = [join(folder, 'reranker'), join(folder, 'embedder')]
    cpSync(TINY_CROSS_ENCODER, reranker, { recursive: true })
    cpSync(TINY_EMBEDDER, embedder, { recursive: true })
    for (const each of [reranker, embedder]) spoil(join(each, 'onnx/model_quantized.onnx'))
    const opened = await open(reranker, embedder)
    expect([opened.embedder, opened.reranker]).toEqual([null, null])
    expect(opened.unavailable.reranker).toMatch(said)
    expect(opened.unavailable.reranker).toContain('RERANK_MODEL')
    expect(opened.unavailable.embedder).toMatch(said)
    expect(opened.unavailable.embedder).toContain('EMBEDDING_MODEL')
  })

  it('still packs a context, which tells of both in `degraded`', async () => {
    const { unavailable } = await open(join(folder, 'no-reranker'), join(folder, 'no-embedder'))
    const hits = [{ score: 3, chunk: chunk({ text: 'The harbour tide is a slow swell.' }) }]
    const store = scriptedStore([{ source: 'keyword', kind: 'keyword', hits }])
    const ports = { ...fakePorts({ store, embedder: null }), unavailable }
    const answer = await createPackContext(dependencies(ports))({ query: 'harbour tide', collection: 'docs' }, CALLER)
    const told = JSON.stringify(answer.degraded)
    expect(answer.context).toContain('slow swell')
    for (const name of ['RERANK_MODEL', 'EMBEDDING_MODEL']) expect(told).toContain(name)
  })
})
