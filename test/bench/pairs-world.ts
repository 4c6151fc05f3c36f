import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { loadTokenizer } from '../../src/adapters/models/load.ts'
import { findModel, type ModelSource } from '../../src/adapters/models/model-folder.ts'
import { assemblePair, learnTemplate, type ModelInput } from '../../src/adapters/models/pair-assembly.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { chunksOf, pathInRepository, readIsharoth } from './world.ts'

const PAIRS = 50
const MEAN_TOKENS = 130
const SHIPPED = pathInRepository('models/stowage-reranker')
const TINY = pathInRepository('test/fixtures/models/tiny-cross-encoder')

/** Pairs of the same query with their texts and with the inputs that stowage makes of them. */
export interface PairsWorld {
  source: ModelSource
  query: string
  passages: string[]
  inputs: ModelInput[]
  /** What the figures are about, for the notes. */
  description: string
}

/** 50 pairs of 65 to 195 tokens from goldens/isharoth, for the shipped reranker or, where it is not, for a tiny stand-in. */
export async function openPairsWorld(): Promise<PairsWorld> {
  const model = existsSync(`${SHIPPED}/onnx/model_quantized.onnx`) ? SHIPPED : TINY
  const source = await findModel({ model, variable: 'RERANK_MODEL', allowRemote: false })
  const { encode, wrap } = await loadTokenizer(source)
  const template = learnTemplate(wrap('a', 'a'), { query: encode('a'), passage: encode('a') })

  const set = await readIsharoth()
  const query = set.queries[0]?.query ?? ''
  const random = seededRandom(3)
  const texts = chunksOf(set).filter(({ text }) => encode(text).length > 1.5 * MEAN_TOKENS)
  const passages = texts.slice(0, PAIRS).map(({ text }) => {
    const room = Math.round(MEAN_TOKENS * (0.5 + random())) - encode(query).length - template.overhead
    return clipToWords(text, room, passage => encode(passage).length)
  })
  const inputs = passages.map(passage => assemblePair(template, encode(query), encode(passage), source.maxTokens))
  const lengths = inputs.map(({ ids }) => ids.length).sort((a, b) => a - b)
  const mean = Math.round(lengths.reduce((sum, length) => sum + length, 0) / lengths.length)
  const named = model === TINY ? 'the TINY test model: plumbing only, its speed says nothing of a real one' : source.id
  const description = `${passages.length} pairs of ${mean} tokens on average (${lengths[0]} to ${lengths.at(-1)}), int8, one pair a run; model: ${named}`
  return { source, query, passages, inputs, description }
}

function clipToWords(text: string, most: number, length: (text: string) => number): string {
  const words = text.split(/(?<=\s)/u)
  let kept = words.length
  while (kept > 1 && length(words.slice(0, kept).join('')) > most) kept -= 1
  return words.slice(0, kept).join('')
}

/** A model run by onnxruntime with nothing in between: the floor under every pool. */
export interface DirectSession {
  /** The logit of each input, one run each. */
  run(): Promise<number[]>
  close(): Promise<void>
}

/** As much of onnxruntime-node as is used here: it comes with the model library and is no dependency of its own. */
interface Runtime {
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown
  InferenceSession: {
    create(
      path: string,
      options: object,
    ): Promise<{
      inputNames: readonly string[]
      run(feeds: Record<string, unknown>): Promise<{ logits?: { data: Float32Array } }>
      release(): Promise<void>
    }>
  }
}

/** Opens the world's weights in this thread; tensors are made beforehand, so that a run is a run and nothing else. */
export async function openDirectSession({ source, inputs }: PairsWorld, threads: number): Promise<DirectSession> {
  const runtime = runtimeOfTransformers()
  const file = source.dtype === 'q8' ? 'model_quantized.onnx' : 'model.onnx'
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 }
  const session = await runtime.InferenceSession.create(`${source.location}/onnx/${file}`, options)
  const feeds = inputs.map(({ ids, types }) => {
    const tensor = (values: number[]) =>
      new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
    const all: Record<string, unknown> = {
      input_ids: tensor(ids),
      attention_mask: tensor(ids.map(() => 1)),
      token_type_ids: tensor(types),
    }
    return Object.fromEntries(session.inputNames.map(name => [name, all[name]]))
  })
  return {
    async run() {
      const logits: number[] = []
      for (const feed of feeds) logits.push((await session.run(feed)).logits?.data[0] ?? Number.NaN)
      return logits
    },
    close: () => session.release(),
  }
}

function runtimeOfTransformers(): Runtime {
  const require = createRequire(import.meta.url)
  return createRequire(require.resolve('@xenova/transformers'))('onnxruntime-node') as Runtime
}
