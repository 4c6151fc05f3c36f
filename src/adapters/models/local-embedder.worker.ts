import { workerData } from 'node:worker_threads'
import { AutoModel } from '@xenova/transformers'
import { loadModel } from './load.ts'
import type { ModelSource } from './model-folder.ts'
import { assembleSingle, learnTemplate } from './pair-assembly.ts'
import { unitVector } from './vectors.ts'
import { inTurn, silenceConsole } from './workers/worker.ts'

silenceConsole()
const source = workerData as ModelSource
const { encode, wrap, run } = await loadModel(AutoModel, source)
const template = learnTemplate(wrap('a'), { passage: encode('a') })
const { length: dimensions } = await embed('a')

export const details = () => dimensions

export default inTurn(embed)

async function embed(text: string): Promise<Float32Array> {
  const input = assembleSingle(template, encode(text), source.maxTokens)
  const output = (await run(input)) as Record<string, { dims: number[]; data: Float32Array }>
  const states = output.last_hidden_state
  if (states === undefined) throw new Error('the model has no output named last_hidden_state')
  const width = states.dims.at(-1) ?? 0
  const pooled = source.settings.pooling === 'cls' ? states.data.slice(0, width) : meanOf(states.data, width)
  return source.settings.normalize ? unitVector(pooled) : pooled
}

/** The mean of the token vectors, special tokens included, as sentence encoders are trained. */
function meanOf(states: Float32Array, width: number): Float32Array {
  const rows = states.length / width
  const sums = new Float64Array(width)
  for (const [at, value] of states.entries()) sums[at % width] = (sums[at % width] ?? 0) + value
  return Float32Array.from(sums, sum => sum / rows)
}
