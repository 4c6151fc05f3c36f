import type { PackOptions } from '../../src/pack/pack.ts'

/** Plain filling by value, without caps and rules against repetition. */
export const PLAIN_PACKING: PackOptions = {
  budgetTokens: 120,
  maxChunks: null,
  format: 'markdown',
  order: 'relevance',
  counting: 'tokens',
  mode: 'passage',
  overflow: 'skip',
  maxOverflows: 6,
  sentenceCut: true,
  documentCap: null,
  sectionCap: null,
  capMode: 'hard',
  noveltyAlpha: 0,
  repetition: 'off',
  contextLine: false,
  repeatHeading: true,
  parentExpansion: null,
}
