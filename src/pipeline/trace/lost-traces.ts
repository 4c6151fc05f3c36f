import { z } from 'zod'
import { isControlOnly } from '../plan/assignment.ts'
import type { Trace } from './schema.ts'

/** What a lost trace would have been evidence of; nulls outside of experiments. */
export interface LostSubject {
  experiment: string | null
  variant: string | null
}

/** A line among traces: how many are missing since the last such line. */
export const lostTracesSchema = z.object({
  /** When the line was written, after the last of the missing traces. */
  lost_until: z.iso.datetime({ offset: true }),
  lost_traces: z.array(
    z.object({
      experiment: z.string().nullable(),
      variant: z.string().nullable(),
      traces: z.number().int().positive(),
    }),
  ),
})
export type LostTraces = z.infer<typeof lostTracesSchema>

/** Whether a line of a file of traces is no trace, but the count of missing ones. */
export function isLostTraces(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'lost_traces' in line
}

/** Counts lost traces by the variant of their request. */
interface LostCount {
  add(subject: LostSubject, traces?: number): void
  addAll(other: LostCount): void
  isEmpty(): boolean
  toLine(now: Date): LostTraces
}

export function createLostCount(): LostCount {
  const counts = new Map<string, LostTraces['lost_traces'][number]>()
  const add: LostCount['add'] = ({ experiment, variant }, traces = 1) => {
    const key = JSON.stringify([experiment, variant])
    const known = counts.get(key)
    counts.set(key, { experiment, variant, traces: (known?.traces ?? 0) + traces })
  }
  const toLine: LostCount['toLine'] = now => ({ lost_until: now.toISOString(), lost_traces: [...counts.values()] })
  return {
    add,
    addAll: other => {
      for (const { traces, ...subject } of other.toLine(new Date(0)).lost_traces) add(subject, traces)
    },
    isEmpty: () => counts.size === 0,
    toLine,
  }
}

/** The variant of a request, if its trace is compared with those of other variants: that of a shadow run is not. */
export function lostSubject({ assignment, shadow_of: shadowOf }: Pick<Trace, 'assignment' | 'shadow_of'>): LostSubject {
  if (assignment === null || shadowOf !== null || isControlOnly(assignment)) return { experiment: null, variant: null }
  return { experiment: assignment.experiment, variant: assignment.variant }
}
