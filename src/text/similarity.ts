/** A similarity as traces show it, with three decimals. */
export function roundedSimilarity(similarity: number): number {
  return Math.round(similarity * 1000) / 1000
}

/** How many values two sets have in common. */
export function countShared<Value>(one: ReadonlySet<Value>, other: ReadonlySet<Value>): number {
  let shared = 0
  for (const value of one) if (other.has(value)) shared++
  return shared
}

/** Jaccard index: the size of the intersection over that of the union, in [0,1]; null for two empty sets. */
export function jaccard<Value>(one: ReadonlySet<Value>, other: ReadonlySet<Value>): number | null {
  const shared = countShared(one, other)
  const all = one.size + other.size - shared
  return all === 0 ? null : shared / all
}

/** Cosine of two vectors, in [-1,1]; 0 when a vector is zero or not finite, or the lengths differ. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let dot = 0
  let squaresA = 0
  let squaresB = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0
    const y = b[i] ?? 0
    dot += x * y
    squaresA += x * x
    squaresB += y * y
  }
  const value = dot / (Math.sqrt(squaresA) * Math.sqrt(squaresB))
  return Number.isFinite(value) ? Math.min(1, Math.max(-1, value)) : 0
}
