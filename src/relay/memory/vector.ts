import { createHash } from 'node:crypto'

/** Values of the beginning of a vector that are kept to find it after a client has cut or scaled it. Models are not cut shorter. */
const DIRECTION_VALUES = 64

/**
 * Least cosine of two beginnings that are the same direction. Rounding to float32 moves a cosine by 1e-14 and to float16 by about 1e-7. With
 * the embedder that ships, texts that differ in a full stop are 3e-3 apart, and no two texts that differ in a word are nearer.
 */
const SAME_DIRECTION = 1 - 1e-6

/** The values as float32; null when the vector is empty, zero, or has a value that no float32 holds. */
export function float32Of(values: ArrayLike<number>): Float32Array | null {
  const vector = new Float32Array(values.length)
  let isZero = true
  for (let at = 0; at < values.length; at++) {
    // Adding 0 makes -0 to 0, which JSON in JavaScript cannot tell apart.
    const value = Math.fround(values[at] ?? Number.NaN) + 0
    if (!Number.isFinite(value)) return null
    if (value !== 0) isZero = false
    vector[at] = value
  }
  return isZero ? null : vector
}

/** Equal for vectors with equal float32 values, whatever they were spelt like. */
export function vectorKey(vector: Float32Array): string {
  return createHash('sha256').update(new Uint8Array(vector.buffer)).digest('base64')
}

/** The beginning of a vector at length 1; null when the vector is shorter than that, or when its beginning is zero. */
export function directionOf(vector: Float32Array): Float32Array | null {
  if (vector.length < DIRECTION_VALUES) return null
  const beginning = vector.subarray(0, DIRECTION_VALUES)
  const norm = Math.hypot(...beginning)
  return norm > 0 ? beginning.map(value => value / norm) : null
}

/** The signs of the first 32 values as bits. Cutting and scaling keep them, so only vectors of equal signs need to be compared. */
export function signsOf(direction: Float32Array): number {
  let signs = 0
  for (let at = 0; at < 32; at++) signs = (signs << 1) | Number((direction[at] ?? 0) > 0)
  return signs
}

/** Whether two directions agree up to the rounding of their values. */
export function isSameDirection(one: Float32Array, other: Float32Array): boolean {
  let cosine = 0
  for (let at = 0; at < DIRECTION_VALUES; at++) cosine += (one[at] ?? 0) * (other[at] ?? 0)
  return cosine >= SAME_DIRECTION
}
