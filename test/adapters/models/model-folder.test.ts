import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createCrossEncoder } from '../../../src/adapters/models/cross-encoder.ts'
import { createLocalEmbedder } from '../../../src/adapters/models/local-embedder.ts'
import { findModel, ModelUnavailableError } from '../../../src/adapters/models/model-folder.ts'
import { noSignal, TINY_CROSS_ENCODER, TINY_EMBEDDER } from '../../support/model-folders.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { MODEL_MS } from '../../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

let folder: string
beforeEach(() => {
  folder = temporaryFolder('stowage-model')
  cpSync(TINY_CROSS_ENCODER, folder, { recursive: true })
})

const find = (model = folder) => findModel({ model, variable: 'RERANK_MODEL', allowRemote: false })

describe('a model folder', () => {
  it('is read with its settings, calibration and window', async () => {
    expect(await find()).toMatchObject({
      id: 'tiny-cross-encoder',
      location: folder,
      dtype: 'q8',
      settings: { pooling: 'mean' },
      calibration: { temperature: 2, bias: -0.5 },
      maxTokens: 96,
    })
    rmSync(join(folder, 'stowage.json'))
    rmSync(join(folder, 'calibration.json'))
    expect(await find()).toMatchObject({
      id: folder.split('/').at(-1),
      calibration: { temperature: 1, bias: 0 },
      maxTokens: 128,
    })
  })

  it('says which languages a reranker was made for, and one that no text is told to be in is refused', async () => {
    const settings = (languages: string[]) => writeFileSync(join(folder, 'stowage.json'), JSON.stringify({ languages }))
    settings(['en', 'de'])
    const reranker = await createCrossEncoder({ model: folder, workers: 1 })
    expect(reranker.languages).toEqual(['en', 'de'])
    await reranker.close()
    settings(['en', 'klingon'])
    await expect(find()).rejects.toThrow('stowage.json.languages[1]="klingon"')
  })

  it.each(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'])(
    'without %s is unavailable, and the message names file and variable',
    async name => {
      rmSync(join(folder, name))
      const error = await createCrossEncoder({ model: folder, workers: 1 }).catch((fault: unknown) => fault)
      expect(error).toBeInstanceOf(ModelUnavailableError)
      expect(String(error)).toContain(name)
      expect(String(error)).toContain('RERANK_MODEL')
    },
  )

  it.each([
    ['config.json', '{'],
    ['tokenizer.json', '[]'],
    ['stowage.json', '{"max_tokens": "many"}'],
    ['calibration.json', '{"temperature": 0, "bias": 0}'],
    ['onnx/model_quantized.onnx', 'version 1\noid sha256:0'],
  ])('with a broken %s is unavailable', async (name, content) => {
    writeFileSync(join(folder, name), content)
    await expect(find()).rejects.toThrow(name)
  })

  it('with weights that are none says so on loading', async () => {
    writeFileSync(join(folder, 'onnx/model_quantized.onnx'), 'x'.repeat(5_000))
    await expect(createCrossEncoder({ model: folder, workers: 2 })).rejects.toBeInstanceOf(ModelUnavailableError)
  })

  it('that is absent is no hub’s model unless it may be', async () => {
    await expect(find('./no-such-folder')).rejects.toThrow(/no folder/)
    await expect(find('owner/model')).rejects.toThrow(/downloads from the hub are switched off/)
    const remote = await findModel({ model: 'owner/model', variable: 'RERANK_MODEL', allowRemote: true })
    expect(remote).toMatchObject({ id: 'owner/model', local: false })
  })

  it('of an embedder must keep its word on dimensions', async () => {
    cpSync(TINY_EMBEDDER, folder, { recursive: true })
    writeFileSync(join(folder, 'stowage.json'), '{"dimensions": 384}')
    await expect(createLocalEmbedder({ model: folder, workers: 1 })).rejects.toThrow(/32 dimensions.*384/)
  })

  it('sets calibration: the same logits, other probabilities, the same order', async () => {
    const plain = await createCrossEncoder({ model: folder, workers: 1, calibration: { temperature: 1, bias: 0 } })
    const calibrated = await createCrossEncoder({ model: folder, workers: 1 })
    const request = { query: 'rotate', passages: ['rotate the key', 'cache'], signal: noSignal() }
    const logits = (await plain.rerank(request)).scores.map(score => Math.log((score ?? 0) / (1 - (score ?? 0))))
    const { scores } = await calibrated.rerank(request)
    for (const [at, score] of scores.entries()) {
      expect(score).toBeCloseTo(1 / (1 + Math.exp(-((logits[at] ?? 0) / 2 - 0.5))), 6)
    }
    await Promise.all([plain.close(), calibrated.close()])
  })
})
