import { createHash } from 'node:crypto'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'

/** The vector that the fake endpoint gives to a text: the same at every call, of length 1, as float32 values. */
export function vectorOf(text: string, dimensions = 96): Float32Array {
  const random = seededRandom(createHash('sha256').update(text).digest().readUInt32BE(0))
  return scaled(Float32Array.from({ length: dimensions }, () => random() - 0.5))
}

/** At length 1, as a client scales a vector that it has cut. */
export function scaled(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector)
  return vector.map(value => value / norm)
}

/** Rounded to float16, as some clients store vectors. */
export function asFloat16(vector: Float32Array): Float32Array {
  return vector.map(value => {
    const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - 10)
    return value === 0 ? 0 : Math.round(value / unit) * unit
  })
}
