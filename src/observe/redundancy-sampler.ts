import { prefixOf } from '../core/prefix.ts'
import { redundancyOf } from '../text/shingles.ts'
import { rawWords } from '../text/terms/terms.ts'

interface RedundancySampling {
  report(event: { ratio: number }): void
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Runs work after the answer is sent. */
  later?: (work: () => void) => void
}

/** Least time between two measured contexts, in milliseconds. */
const PAUSE_MS = 1_000
/** The part of a context that is measured, in UTF-16 code units: about 4,000 tokens, which take a few milliseconds. */
const LONGEST = 16_384

/** Measures how much contexts repeat themselves: at most one in a second, after its answer, and only its beginning. */
export function createRedundancySampler({ report, now, later = setImmediate }: RedundancySampling) {
  let measuredAt = Number.NEGATIVE_INFINITY
  return (context: string): void => {
    if (context === '' || now() - measuredAt < PAUSE_MS) return
    measuredAt = now()
    later(() => report({ ratio: redundancyOf(rawWords(prefixOf(context, LONGEST))) }))
  }
}
