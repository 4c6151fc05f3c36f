import type { AblationReport } from '../../../ablation/ablation.ts'
import { RULES } from '../../../ablation/rules.ts'
import type { AblationRow } from '../report-data.ts'

/** The effects of an ablation, as the page draws them. */
export function ablationRows({ rows }: AblationReport): AblationRow[] {
  return rows.map(({ rule, kind, measure, set, difference: { mean, low, high }, verdict }) => ({
    ...{ rule, kind, measure, set, mean, low, high, verdict },
    meaning: RULES[rule].meaning,
  }))
}
