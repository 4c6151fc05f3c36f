import { roundedNames } from '../onnx/graph.ts'
import { type Runtime, sizeOf, type Tensor, type TensorData, type Tensors } from '../onnx/runtime.ts'

/**
 * The tensors that a model computed from one text, a passage or a query, as bytes that all threads can read: the length of a header, the header as JSON, and the
 * numbers of each tensor, each at a multiple of 8 bytes.
 */
export type Side = SharedArrayBuffer

type Header = [name: string, type: Tensor['type'], dims: readonly number[]][]

const LENGTH_BYTES = 4
const WORD = 8
const wholeWords = (bytes: number) => Math.ceil(bytes / WORD) * WORD

export function packSide(tensors: Tensors): Side {
  const entries = Object.entries(tensors)
  const header = Buffer.from(
    JSON.stringify(entries.map(([name, { type, dims }]) => [name, type, dims]) satisfies Header),
  )
  const numbers = entries.map(([, { data }]) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  let end = wholeWords(LENGTH_BYTES + header.length)
  const places = numbers.map(({ length }) => {
    const start = end
    end += wholeWords(length)
    return start
  })
  const side = new SharedArrayBuffer(end)
  const bytes = Buffer.from(side)
  bytes.writeUInt32LE(header.length)
  bytes.set(header, LENGTH_BYTES)
  for (const [at, one] of numbers.entries()) bytes.set(one, places[at])
  return side
}

const TYPES = { float32: Float32Array, int64: BigInt64Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array }

/**
 * Makes a function that copies the tensors of sides out of the shared memory, because the runtime does not read from it. They are good until the next call: all
 * sides go through one buffer, because a new one for each, megabytes for each request, would wait for the garbage collector.
 */
export function createUnpackSides({ Tensor }: Runtime): (sides: readonly Side[]) => Tensors[] {
  let words = new BigInt64Array(0)
  return sides => {
    const size = sides.reduce((sum, { byteLength }) => sum + byteLength / WORD, 0)
    if (words.length < size) words = new BigInt64Array(size)
    let first = 0
    return sides.map(side => {
      // Shared memory is copied number by number, so large numbers are fast.
      words.set(new BigInt64Array(side), first)
      const bytes = Buffer.from(words.buffer, first * WORD, side.byteLength)
      first += side.byteLength / WORD
      return tensorsIn(bytes, Tensor)
    })
  }
}

function tensorsIn(bytes: Buffer<ArrayBuffer>, Tensor: Runtime['Tensor']): Tensors {
  const length = bytes.readUInt32LE()
  const header = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length)) as Header
  let start = bytes.byteOffset + wholeWords(LENGTH_BYTES + length)
  const tensors: Tensors = {}
  for (const [name, type, dims] of header) {
    const data: TensorData = new TYPES[type](bytes.buffer, start, sizeOf(dims))
    tensors[name] = new Tensor(type, data, dims)
    start += wholeWords(data.byteLength)
  }
  return tensors
}

/** Rows from this length on are rounded. */
const LONG_ROW = 32
const LARGEST = 127

/** Whether a tensor holds a long vector for each token: [1, …, tokens, width]. @param axis of the tokens */
export function isLong({ type, dims }: Tensor, axis: number | undefined): boolean {
  return type === 'float32' && axis === dims.length - 2 && (dims.at(-1) ?? 0) >= LONG_ROW
}

/**
 * Rounds the vectors of the tokens to int8, which takes a quarter of the memory: `value = rounded × scale`, one scale for each vector. Each rounded tensor becomes
 * two, named by `roundedNames`.
 * @param long names of tensors as `isLong` wants them
 */
export function roundRows(tensors: Tensors, long: readonly string[], { Tensor }: Runtime): Tensors {
  const entries = Object.entries(tensors).flatMap(([name, tensor]): [string, Tensor][] => {
    if (!long.includes(name)) return [[name, tensor]]
    const { rounded, scales } = roundedRows(tensor.data as Float32Array, tensor.dims.at(-1) ?? 0)
    const names = roundedNames(name)
    return [
      [names.rounded, new Tensor('int8', rounded, tensor.dims)],
      [names.scales, new Tensor('float32', scales, tensor.dims.slice(0, -1))],
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
