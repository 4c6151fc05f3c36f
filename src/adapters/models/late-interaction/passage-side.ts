import { deserialize, serialize } from 'node:v8'
import type { Runtime, Tensor, Tensors } from './runtime.ts'

/** The tensors that a model computed from one passage, as bytes that all threads can read. */
export type PassageSide = SharedArrayBuffer

type Kept = [name: string, type: Tensor['type'], dims: readonly number[], data: Tensor['data']]

export function packSide(tensors: Tensors): PassageSide {
  const kept = Object.entries(tensors).map(([name, { type, dims, data }]): Kept => [name, type, dims, data])
  const bytes = serialize(kept)
  const side = new SharedArrayBuffer(bytes.length)
  Buffer.from(side).set(bytes)
  return side
}

/** Copies the tensors out of the shared memory, because the runtime does not read from it. */
export function unpackSide(side: PassageSide, { Tensor }: Runtime): Tensors {
  const kept = deserialize(Buffer.from(Buffer.from(side))) as Kept[]
  return Object.fromEntries(kept.map(([name, type, dims, data]) => [name, new Tensor(type, data, dims)]))
}

/** Rows from this length on are rounded. */
const LONG_ROW = 64
const LARGEST = 127

/** Whether a tensor holds a long vector for each token: [1, tokens, width]. */
export function isLong({ type, dims }: Tensor): boolean {
  return type === 'float32' && dims.length === 3 && (dims[2] ?? 0) >= LONG_ROW
}

/**
 * Rounds the vectors of the tokens to int8, which takes a quarter of the memory: `value = rounded × scale`, one scale per token.
 * @param tensor as `isLong` wants it
 */
export function roundRows({ dims, data }: Tensor, { Tensor }: Runtime): { rounded: Tensor; scales: Tensor } {
  const values = data as Float32Array
  const width = dims[2] ?? 0
  const scales = new Float32Array(values.length / width)
  const rounded = new Int8Array(values.length)
  for (let row = 0; row < scales.length; row++) {
    const from = row * width
    let largest = 0
    for (let at = from; at < from + width; at++) largest = Math.max(largest, Math.abs(values[at] ?? 0))
    const scale = largest / LARGEST || 1
    scales[row] = scale
    for (let at = from; at < from + width; at++) rounded[at] = Math.round((values[at] ?? 0) / scale)
  }
  return { rounded: new Tensor('int8', rounded, dims), scales: new Tensor('float32', scales, [scales.length]) }
}
