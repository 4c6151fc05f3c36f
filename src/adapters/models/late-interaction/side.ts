import { deserialize, serialize } from 'node:v8'
import { roundedNames } from '../onnx/graph.ts'
import type { Runtime, Tensor, Tensors } from '../onnx/runtime.ts'

/** The tensors that a model computed from one text, a passage or a query, as bytes that all threads can read. */
export type Side = SharedArrayBuffer

type Kept = [name: string, type: Tensor['type'], dims: readonly number[], data: Tensor['data']]

export function packSide(tensors: Tensors): Side {
  const kept = Object.entries(tensors).map(([name, { type, dims, data }]): Kept => [name, type, dims, data])
  const bytes = serialize(kept)
  const side = new SharedArrayBuffer(bytes.length)
  Buffer.from(side).set(bytes)
  return side
}

/**
 * Makes a function that copies the tensors of a side out of the shared memory, because the runtime does not read from it. They are good until the next call: all
 * sides go through one buffer, because a new one for each, megabytes for each request, would wait for the garbage collector.
 */
export function createUnpackSide({ Tensor }: Runtime): (side: Side) => Tensors {
  let buffer = Buffer.alloc(0)
  return side => {
    if (buffer.length < side.byteLength) buffer = Buffer.allocUnsafeSlow(2 * side.byteLength)
    const bytes = buffer.subarray(0, side.byteLength)
    bytes.set(new Uint8Array(side))
    const kept = deserialize(bytes) as Kept[]
    return Object.fromEntries(kept.map(([name, type, dims, data]) => [name, new Tensor(type, data, dims)]))
  }
}

/** Rows from this length on are rounded. */
const LONG_ROW = 64
const LARGEST = 127

/** Whether a tensor holds a long vector for each token: [1, tokens, width]. */
export function isLong({ type, dims }: Tensor): boolean {
  return type === 'float32' && dims.length === 3 && (dims[2] ?? 0) >= LONG_ROW
}

/**
 * Rounds the vectors of the tokens to int8, which takes a quarter of the memory: `value = rounded × scale`, one scale per token. Each rounded tensor becomes two,
 * named by `roundedNames`.
 * @param long names of tensors as `isLong` wants them
 */
export function roundRows(tensors: Tensors, long: readonly string[], { Tensor }: Runtime): Tensors {
  const entries = Object.entries(tensors).flatMap(([name, tensor]): [string, Tensor][] => {
    if (!long.includes(name)) return [[name, tensor]]
    const { rounded, scales } = roundedRows(tensor.data as Float32Array, tensor.dims[2] ?? 0)
    const names = roundedNames(name)
    return [
      [names.rounded, new Tensor('int8', rounded, tensor.dims)],
      [names.scales, new Tensor('float32', scales, [scales.length])],
    ]
  })
  return Object.fromEntries(entries)
}

function roundedRows(values: Float32Array, width: number): { rounded: Int8Array; scales: Float32Array } {
  const scales = new Float32Array(values.length / width)
  const rounded = new Int8Array(values.length)
  for (let row = 0; row < scales.length; row++) {
    const from = row * width
    let largest = 0
    for (let at = from; at < from + width; at++) {
      const size = Math.abs(values[at] as number)
      if (size > largest) largest = size
    }
    if (largest === 0) continue
    scales[row] = largest / LARGEST
    const perUnit = LARGEST / largest
    for (let at = from; at < from + width; at++) {
      rounded[at] = (((values[at] as number) * perUnit + 128.5) | 0) - 128
    }
  }
  return { rounded, scales }
}
