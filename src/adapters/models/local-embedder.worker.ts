import { workerData } from 'node:worker_threads'
import { AutoModel } from '@xenova/transformers'
import { inputNames, loadOptions, loadTokenizer, type ModelToLoad, toTensors } from './load.ts'
import { assembleSingle, learnTemplate } from './pair-assembly.ts'
import type { EmbedderDetails } from './pooled-embedder.ts'
import { unitVector } from './vectors.ts'
import { serveJobs, silenceConsole } from './workers/protocol.ts'

export interface EmbedderToLoad extends ModelToLoad {
  pooling: 'mean' | 'cls'
  normalize: boolean
}

silenceConsole()
const toLoad = workerData as EmbedderToLoad
const options = loadOptions(toLoad)
const { encode, wrap } = await loadTokenizer(toLoad)
const model = await AutoModel.from_pretrained(toLoad.location, options)
const names = inputNames(model)
const template = learnTemplate(wrap('a'), { passage: encode('a') })
const { length: dimensions } = await embed('a')

serveJobs<string, Float32Array, EmbedderDetails>({ dimensions }, embed, () => model.dispose())

async function embed(text: string): Promise<Float32Array> {
  const input = assembleSingle(template, encode(text), toLoad.maxTokens)
  const output = (await model(toTensors(input, names))) as Record<string, { dims: number[]; data: Float32Array }>
  const states = output.last_hidden_state
  if (states === undefined) throw new Error('the model has no output named last_hidden_state')
  const width = states.dims.at(-1) ?? 0
  const pooled = toLoad.pooling === 'cls' ? states.data.slice(0, width) : meanOf(states.data, width)
  return toLoad.normalize ? unitVector(pooled) : pooled
}

/** The mean of the token vectors, special tokens included, as sentence encoders are trained. */
function meanOf(states: Float32Array, width: number): Float32Array {
  const rows = states.length / width
  const sums = new Float64Array(width)
  for (const [at, value] of states.entries()) sums[at % width] = (sums[at % width] ?? 0) + value
  return Float32Array.from(sums, sum => sum / rows)
}
