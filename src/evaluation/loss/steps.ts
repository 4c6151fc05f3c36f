import type { DropReason } from '../../core/vocabulary.ts'

/**
 * Where a gold passage is lost, in the order of the pipeline, and `found` at the end. A gold passage that is in the context is found,
 * whatever happened before. Every other one is lost at the first of the other steps that holds for it, so the points of all steps sum up to 100.
 *
 * "Holds" is the rule of answer recall: a set of candidates holds a gold passage when at least 90 % of its words stand in their texts.
 */
export const LOSS_STEPS = {
  not_retrieved: {
    title: 'not retrieved',
    meaning: 'The candidates do not hold it: neither those of the lists nor the neighbours that were fetched.',
  },
  duplicate: {
    title: 'cut as a copy',
    meaning: 'The candidates without those that were dropped as copies (`duplicate`) do not hold it.',
  },
  below_pool: {
    title: 'cut by the pool',
    meaning: 'Nor do they without those that were cut after fusion (`below_pool`) and not restored.',
  },
  filtered: {
    title: 'cut by a filter',
    meaning:
      'Nor do those that reached packing: `rerank_cut`, `redundant`, `below_threshold`, `filler` or `text_missing` dropped the others.',
  },
  too_large: {
    title: 'larger than the budget',
    meaning: 'Those that reached packing hold it, but the excerpts that hold it are more tokens than the budget.',
  },
  no_room: {
    title: 'no room beside others',
    meaning: 'It fits alone, but the best fill of the budget holds other gold passages of the question.',
  },
  capped: {
    title: 'dropped by a cap',
    meaning:
      'The best fill holds it, but a cap on documents or sections, or the chunk limit, dropped a candidate of it.',
  },
  ranked_low: {
    title: 'ranked too low',
    meaning: 'The best fill holds it, and no candidate of it is packed.',
  },
  in_part: {
    title: 'packed in part',
    meaning: 'A candidate of it is packed, whole or cut, but less than 90 % of its words are in the context.',
  },
  found: { title: 'found', meaning: 'At least 90 % of its words are in the context.' },
} as const

export type LossStep = keyof typeof LOSS_STEPS

export const LOSS_STEP_NAMES = Object.keys(LOSS_STEPS) as [LossStep, ...LossStep[]]

/** Reasons of candidates that were cut before packing, step by step. A candidate that was cut is not in the sets of later steps. */
export const CUTS: readonly { step: LossStep; reasons: readonly DropReason[] }[] = [
  { step: 'duplicate', reasons: ['duplicate'] },
  { step: 'below_pool', reasons: ['below_pool'] },
  { step: 'filtered', reasons: ['rerank_cut', 'redundant', 'below_threshold', 'filler', 'text_missing'] },
]
