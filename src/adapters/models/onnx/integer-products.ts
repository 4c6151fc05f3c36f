import { readFile } from 'node:fs/promises'
import { type ModelSource, weightsOf } from '../model-folder.ts'
import { INT8, type OnnxGraph, oneNodeOnnx, readOnnx, readWeight, UINT8 } from './graph.ts'
import { loadRuntime, type Runtime } from './runtime.ts'

/**
 * Whether the results of a model are wrong on this processor, because its products do not fit. False when it cannot be found out: a model that is loaded must not
 * fail by a look at its file. A model that is not in a folder is not looked at.
 */
export async function hasWrongProducts(source: ModelSource): Promise<boolean> {
  if (!source.local || source.dtype === 'fp32') return false
  try {
    return hasLongProducts(readOnnx(await readFile(weightsOf(source)))) && (await saturates(loadRuntime()))
  } catch {
    return false
  }
}

/** Operators that multiply integers. Their activations are uint8, their weights uint8 or int8. */
const PRODUCTS = ['MatMulInteger', 'DynamicQuantizeMatMul', 'QLinearMatMul', 'QAttention']
/** The sum of two products with 255 fits into 16 bits up to this weight. */
const LARGEST_SAFE = 64

/**
 * Whether a model has products of uint8 by int8 that do not fit into 16 bits by twos. Weights of seven bits do fit. Weights in another file are not seen.
 */
export function hasLongProducts({ nodes, weights }: OnnxGraph): boolean {
  const names = new Set(nodes.filter(({ operator }) => PRODUCTS.includes(operator)).flatMap(({ inputs }) => inputs))
  return [...names].some(name => {
    const { type, bytes } = readWeight(weights.get(name) ?? new Uint8Array())
    return type === INT8 && new Int8Array(bytes).some(value => Math.abs(value) > LARGEST_SAFE)
  })
}

const ROWS = 4
const INNER = 64
const COLUMNS = 16
const ACTIVATION = 255
const WEIGHT = 127

/**
 * Whether the runtime adds such products in 16 bits on this processor, so that sums are cut off at 32,767. It does so on x64 without VNNI, and Node does not tell
 * what a processor has; so it is tried.
 */
export async function saturates({ InferenceSession, Tensor }: Runtime): Promise<boolean> {
  const model = oneNodeOnnx('MatMulInteger', { activations: UINT8, weights: INT8 }, 'sums')
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 3 })
  const { sums } = await session.run({
    activations: new Tensor('uint8', new Uint8Array(ROWS * INNER).fill(ACTIVATION), [ROWS, INNER]),
    weights: new Tensor('int8', new Int8Array(INNER * COLUMNS).fill(WEIGHT), [INNER, COLUMNS]),
  })
  return Array.from(sums?.data ?? [], Number).some(sum => sum !== INNER * ACTIVATION * WEIGHT)
}
