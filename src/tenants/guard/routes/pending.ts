import { StowageError } from '../../../core/errors.ts'
import type { Guard } from './route.ts'

/** Stands for a guard that is not written yet. */
// biome-ignore lint/correctness/useYield: it refuses at once
export const pending: Guard = function* refuse() {
  throw new StowageError('forbidden', 'This operation is not open to tenants yet.')
}
