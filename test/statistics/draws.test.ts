import { expect, it } from 'vitest'
import { randomBytes, resampleCounts } from '../../src/statistics/draws.ts'

it('draws every resample with replacement: counts sum to the size, and have the mean and variance of a multinomial', () => {
  const [size, resamples] = [40, 2_000]
  const counts = resampleCounts(size, resamples, 3, 0)
  expect(counts).toHaveLength(size * resamples)
  for (let start = 0; start < counts.length; start += size)
    expect(counts.subarray(start, start + size).reduce((sum, count) => sum + count, 0)).toBe(size)
  const variance = counts.reduce((sum, count) => sum + (count - 1) ** 2, 0) / counts.length
  expect(Math.abs(variance - (1 - 1 / size))).toBeLessThan(0.03)
  for (let query = 0; query < size; query++) {
    const drawn = counts.reduce((sum, count, at) => sum + (at % size === query ? count : 0), 0)
    expect(Math.abs(drawn - resamples)).toBeLessThan(5 * Math.sqrt(resamples))
  }
})

it('makes the draws of one size and seed once, and others for each seed and stream', () => {
  const counts = resampleCounts(30, 500, 1, 0)
  expect(resampleCounts(30, 500, 1, 0)).toBe(counts)
  for (const other of [resampleCounts(30, 500, 2, 0), resampleCounts(30, 500, 1, 1)]) {
    const products = other.map((count, at) => count * (counts[at] ?? 0)).reduce((sum, value) => sum + value, 0)
    expect(Math.abs(products / counts.length - 1)).toBeLessThan(0.04) // 1 when they are independent, 2 when they are the same
  }
})

it('has every bit of its bytes as often 0 as 1, and differs between streams', () => {
  const [first, second] = [randomBytes(20_000, 1, 0), randomBytes(20_000, 1, 8)]
  expect(randomBytes(20_000, 1, 0)).toBe(first)
  const share = (holds: (byte: number, at: number) => boolean) => first.filter(holds).length / first.length
  for (let bit = 0; bit < 8; bit++) {
    expect(Math.abs(share(byte => (byte >> bit) % 2 === 1) - 0.5)).toBeLessThan(0.02)
    expect(Math.abs(share((byte, at) => ((byte ^ (second[at] ?? 0)) >> bit) % 2 === 1) - 0.5)).toBeLessThan(0.02)
  }
})
