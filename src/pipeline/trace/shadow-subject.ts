import type { ShadowPlan } from '../plan/decision.ts'
import type { Plan } from '../plan/plan.ts'
import type { TraceSubject } from './build-trace.ts'

/**
 * The subject of the second run of a request. Its id is that of the answer with `-shadow`, so that whoever has one of a pair finds the other.
 * @param plan the plan of the shadow, with the values that the request set
 */
export function shadowSubject(
  control: TraceSubject,
  { experiment, variant }: ShadowPlan,
  plan: Plan,
  startedAt: string,
): TraceSubject {
  return {
    ...control,
    traceId: `${control.traceId}-shadow`,
    startedAt,
    plan,
    decision: {
      flags: control.decision.flags,
      // Every request of a shadow runs both variants, so no unit is assigned.
      assignment: { experiment, variant, unit: 'request', share: null },
    },
    shadowOf: control.traceId,
  }
}
