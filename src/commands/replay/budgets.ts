import { badRequest } from '../../core/errors.ts'

/** Token budgets of a comparison: the whole curve, from a single chunk to more than most questions need. */
export const REPLAY_BUDGETS: readonly number[] = [250, 500, 1000, 2000, 4000]

/** Enough to see what a small and a large context gain; each more costs its time in every trial of `--tune`. */
export const TUNE_BUDGETS: readonly number[] = [500, 2000]

/** Budgets of a new baseline for `--gate`. */
export const GATE_BUDGETS: readonly number[] = [500, 1000, 2000]

/** The budgets in rising order, each once. */
export function sortedBudgets(budgets: readonly number[]): number[] {
  return [...new Set(budgets)].sort((left, right) => left - right)
}

/** @throws StowageError `bad_request` when the replay does not run at the budget of an option */
export function refuseOtherBudget(option: string, budget: number | undefined, budgets: readonly number[]): void {
  if (budget !== undefined && !budgets.includes(budget))
    throw badRequest(`${option} ${budget} is not among the budgets: ${budgets.join(', ')}`)
}
