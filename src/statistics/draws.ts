import { LRUCache } from 'lru-cache'
import { seededRandom } from './seeded-random.ts'

/** Comparisons of one report have sets of the same sizes: they use the same draws, which are made once. */
const DRAWS = new LRUCache<string, Uint8Array>({
  maxSize: 64 * 2 ** 20,
  sizeCalculation: draws => draws.byteLength,
})

/**
 * How often each query is in each bootstrap resample of a set: `counts[r * size + q]` for resample r and query q. The counts of one
 * resample sum to `size`. A count beyond 255 has a probability below 1e-300.
 * @param stream sets of one comparison that have the same size use different streams, because they are resampled independently
 */
export function resampleCounts(size: number, resamples: number, seed: number, stream: number): Uint8Array {
  return drawn(`counts ${size} ${resamples} ${seed} ${stream}`, () => {
    const random = seededRandom(mixed(seed, size, stream))
    const counts = new Uint8Array(size * resamples)
    for (let start = 0; start < counts.length; start += size) {
      for (let draw = 0; draw < size; draw++) {
        const place = start + Math.floor(random() * size)
        counts[place] = (counts[place] ?? 0) + 1
      }
    }
    return counts
  })
}

/** Uniform bytes, one for each round of a randomization test. @param stream each block of differences has its own */
export function randomBytes(rounds: number, seed: number, stream: number): Uint8Array {
  return drawn(`bytes ${rounds} ${seed} ${stream}`, () => {
    const random = seededRandom(mixed(seed, rounds, stream))
    return Uint8Array.from({ length: rounds }, () => random() * 256)
  })
}

function drawn(key: string, draw: () => Uint8Array): Uint8Array {
  const draws = DRAWS.get(key) ?? draw()
  DRAWS.set(key, draws)
  return draws
}

/** A seed of its own for each pair of numbers, by the multipliers of Knuth and of MurmurHash3. */
function mixed(seed: number, first: number, second: number): number {
  const once = Math.imul(seed ^ Math.imul(first, 0x9e3779b1), 0x85ebca6b)
  return Math.imul((once ^ (once >>> 15)) + second, 0xc2b2ae35)
}
