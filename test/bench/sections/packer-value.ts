import type { BenchSection } from '../bench-report.ts'
import { packValue } from '../pack-value.ts'
import { sectionValue } from '../section-options/value.ts'
import { measuredOnce } from '../side-by-side.ts'

/** How much of the exact optimum the packer's choice is worth: of whole chunks, and with sentences, chunks, runs of chunks and whole sections to choose from. */
export function packerValue(): BenchSection {
  const { instances, mean, least, optimal, meanWithCut, plainGreedyMean } = packValue()
  const sections = sectionValue()
  return {
    name: 'value',
    title: 'relevance mass packed ÷ exact optimum',
    tables: [
      {
        title: `optimum of whole chunks: ${instances} random instances of at most 14 candidates`,
        rows: [
          measuredOnce('packer, whole chunks', { mean, least, 'share at the optimum': optimal }),
          measuredOnce('packer, overflow cut to sentences', { mean: meanWithCut }),
          measuredOnce('plain greedy fill', { mean: plainGreedyMean }),
        ],
      },
      {
        title: `optimum with section options: ${sections.instances} random instances of 3 documents with up to 2 sections of about 1 to 5 chunks`,
        rows: sections.rows.map(({ fill, ratio, shares }) =>
          measuredOnce(`${fill}, ${ratio === null ? 'all budgets' : `budget ${ratio} of all tokens`}`, shares),
        ),
      },
    ],
    notes: [
      'Deterministic: no clock in it. In the first table, sentences may pass the optimum of whole chunks. Wanted: mean at least .95 there, and .98 with section options.',
      'Section options: nothing, any chunks of the section, a run of sentences of one chunk, or both. A run of sentences is worth the value of its chunk × its tokens, as a chunk is. The source line of a section is paid once.',
    ],
  }
}
