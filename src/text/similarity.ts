/** Share of the elements of `a` that are in `b`, in [0,1]; 0 when `a` is empty. */
export function containment(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0) return 0
  let shared = 0
  for (const element of a) if (b.has(element)) shared++
  return shared / a.size
}

/** Cosine of the angle between two vectors, in [-1,1]; 0 when they cannot be compared (zero, not finite, or of different length). */
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
