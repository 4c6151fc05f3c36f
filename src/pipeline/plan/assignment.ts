import { z } from 'zod'

/** The variant whose plan no experiment changes. */
export const CONTROL = 'control'

/** The unit that keeps its variant: all requests of a session, or of a tenant; or each request has a variant of its own. */
const ASSIGNMENT_UNITS = ['session', 'tenant', 'request'] as const
export type AssignmentUnit = (typeof ASSIGNMENT_UNITS)[number]

/** The variant of a request that is part of an experiment. */
export const assignmentSchema = z.object({
  experiment: z.string(),
  /** `control`, or another name that the experiment declares. */
  variant: z.string(),
  unit: z.enum(ASSIGNMENT_UNITS),
  /** Share of the units that get this variant, in (0,1]; 1 for the control of an experiment that is rolled back; null when the flags do not tell. */
  share: z.number().nullable(),
})
export type Assignment = z.infer<typeof assignmentSchema>

/**
 * Whether everyone gets the control, as after a rollback: then there is nothing to compare the request with. While an experiment runs, the
 * share of its control is less than 1.
 */
export function isControlOnly({ variant, share }: Pick<Assignment, 'variant' | 'share'>): boolean {
  return variant === CONTROL && share === 1
}
