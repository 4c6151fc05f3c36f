import { type Runtime, sizeOf, type Tensor, type TensorData } from '../onnx/runtime.ts'

/** What the tokens of passages are. */
interface Words {
  /** int64 [1, words] */
  ids: Tensor
  /** int32 [passages, tokens]: which of `ids` each token has. */
  places: Tensor
}

/** @param ids int64 [passages, tokens] */
export type WordsOf = (ids: Tensor) => Words

/** Makes a function that takes each token for a word of its own. */
export function createEachToken({ Tensor }: Runtime): WordsOf {
  return ({ data, dims }) => {
    const tokens = sizeOf(dims)
    const places = Int32Array.from({ length: tokens }, (_, at) => at)
    return { ids: new Tensor('int64', data, [1, tokens]), places: new Tensor('int32', places, dims) }
  }
}

/** Makes a function that has each different token once. */
export function createEachWord({ Tensor }: Runtime): WordsOf {
  /** By the id of a token: its place among the words, counted from 1; 0 between two calls. */
  let placeOf = new Int32Array(1 << 15)
  return ({ data, dims }) => {
    const tokens = sizeOf(dims)
    const ids = halvesOf(data)
    const places = new Int32Array(tokens)
    const words = new BigInt64Array(tokens)
    const found = halvesOf(words)
    let count = 0
    for (let at = 0; at < tokens; at++) {
      const id = ids[2 * at] as number
      if (id >= placeOf.length) placeOf = grown(placeOf, 2 * id)
      if (placeOf[id] === 0) {
        found[2 * count] = id
        placeOf[id] = ++count
      }
      places[at] = (placeOf[id] as number) - 1
    }
    for (let word = 0; word < count; word++) placeOf[found[2 * word] as number] = 0
    return {
      ids: new Tensor('int64', words.subarray(0, count), [1, count]),
      places: new Tensor('int32', places, dims),
    }
  }
}

/**
 * Numbers of 64 bits as two of 32 bits, because a BigInt takes three times as long. Each processor that the runtime is made for has the low half first, and ids have nothing in the high
 * one.
 */
const halvesOf = ({ buffer, byteOffset, byteLength }: TensorData) =>
  new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT)

function grown(values: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length)
  larger.set(values)
  return larger
}
