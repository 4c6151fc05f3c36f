/** Token budgets of a comparison: the whole curve, from a single chunk to more than most questions need. */
export const REPLAY_BUDGETS: readonly number[] = [250, 500, 1000, 2000, 4000]

/** Enough to see what a small and a large context gain; each more costs its time in every trial of `--tune`. */
export const TUNE_BUDGETS: readonly number[] = [500, 2000]

/** Budgets of a new baseline for `--gate`. */
export const GATE_BUDGETS: readonly number[] = [500, 1000, 2000]
