import { z } from 'zod'
import { CONTEXT_FORMATS, type PointId } from '../../../core/types.ts'
import { pointIdSchema, traceSchema } from '../../../pipeline/trace/schema.ts'
import type { ReplayRun } from '../../metrics/measure-run.ts'
import { CUT_BEFORE_PACKING } from '../../replay/ranked-texts.ts'

/**
 * What a replay needs of an answer of `POST /v1/context`. Servers of other versions have other traces, so each part of a trace is read by
 * itself, and a part that is not understood counts as absent.
 */
export const answerSchema = z.object({
  context: z.string(),
  chunks: z.array(z.object({ id: pointIdSchema, doc_id: z.string(), text: z.string() })),
  degraded: z.array(z.object({ code: z.string() })),
  trace: z
    .object({
      plan: z
        .object({ format: z.enum(CONTEXT_FORMATS) })
        .nullable()
        .catch(null),
      stages: z.array(z.object({ name: z.string(), ms: z.number() })).catch([]),
      duration_ms: z.number().nullable().catch(null),
      candidates: z
        .array(
          z.object({
            id: pointIdSchema,
            collection: z.string(),
            doc_id: z.string(),
            origin: z.string().optional(),
            final: z.number(),
            decision: z.enum(['packed', 'dropped']),
            reason: z.string().nullable(),
          }),
        )
        .nullable()
        .catch(null),
    })
    .loose()
    .optional()
    .catch(undefined),
})

/** As `CUT_BEFORE_PACKING`, for reasons of any version. */
const CUT_REASONS: ReadonlySet<string | null> = CUT_BEFORE_PACKING

export type ServerAnswer = z.infer<typeof answerSchema>

export interface CandidateKey {
  collection: string
  id: PointId
}

/** Candidates that reached packing, best first, without parents; null when the trace does not tell. */
export function rankedCandidates({ trace }: ServerAnswer): (CandidateKey & { docId: string })[] | null {
  const candidates = trace?.candidates ?? null
  if (candidates === null) return null
  return candidates
    .filter(
      ({ origin, decision, reason }) => origin !== 'parent' && (decision === 'packed' || !CUT_REASONS.has(reason)),
    )
    .sort((left, right) => right.final - left.final)
    .map(({ id, collection, doc_id: docId }) => ({ id, collection, docId }))
}

/**
 * A run from the answer of a server.
 * @param ms time until the answer, for a server that does not tell its own
 * @param texts of `rankedCandidates`, in their order
 */
export function runOfAnswer(answer: ServerAnswer, ms: number, texts: readonly string[] | null): ReplayRun {
  const { context, chunks, degraded, trace } = answer
  const ranked =
    texts &&
    (rankedCandidates(answer)?.map(({ id, docId }, at) => ({ id: String(id), docId, text: texts[at] ?? '' })) ?? null)
  const stageMs: Record<string, number> = {}
  for (const stage of trace?.stages ?? []) stageMs[stage.name] = (stageMs[stage.name] ?? 0) + stage.ms
  return {
    context,
    format: trace?.plan?.format ?? 'markdown',
    packed: chunks.map(({ id, doc_id: docId, text }) => ({ id: String(id), docId, text })),
    ranked,
    spans: null,
    stageMs,
    totalMs: trace?.duration_ms ?? ms,
    degraded: degraded.map(({ code }) => code),
    trace: () => traceSchema.safeParse(trace).data ?? null,
  }
}
