import type { BenchSection } from '../bench-report.ts'
import { packValue } from '../pack-value.ts'
import { measuredOnce } from '../side-by-side.ts'

/** How much of the exact optimum the packer's choice is worth, on instances small enough to try all sets. */
export function packerValue(): BenchSection {
  const { instances, mean, least, optimal, meanWithCut, plainGreedyMean } = packValue()
  return {
    name: 'value',
    title: 'relevance mass packed ÷ exact optimum of whole chunks',
    tables: [
      {
        title: `${instances} random instances of at most 14 candidates`,
        rows: [
          measuredOnce('packer, whole chunks', { mean, least, 'share at the optimum': optimal }),
          measuredOnce('packer, overflow cut to sentences', { mean: meanWithCut }),
          measuredOnce('plain greedy fill', { mean: plainGreedyMean }),
        ],
      },
    ],
    notes: [
      'Deterministic: no clock in it. Sentences may pass the optimum of whole chunks. Wanted: mean at least .95.',
    ],
  }
}
