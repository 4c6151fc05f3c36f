import { z } from 'zod'
import { INTENTS, type Intent, type PointId } from '../../core/types.ts'
import type { DropReason } from '../../core/vocabulary.ts'
import { isLostTraces } from '../../pipeline/trace/lost-traces.ts'
import { traceSchema } from '../../pipeline/trace/schema.ts'
import { parseJson } from '../../qdrant/json.ts'
import { textLines } from '../../rollout/compare/text-lines.ts'
import { comparableQuestion } from '../metrics/reference-words.ts'

/** A passage that a request found. */
export interface SeenCandidate {
  id: PointId
  collection: string
  docId: string
  sectionPath: string
  /** Null for a packed one. */
  dropped: DropReason | null
}

/** A request that can become a golden query. */
export interface SeenQuestion {
  /** Equal for equal questions of one tenant. */
  key: string
  query: string
  tenant: string | null
  intent: Intent | null
  collections: string[]
  /** The packed ones first, in the order of the context, then the others, the best first. */
  candidates: SeenCandidate[]
}

/** What files of traces hold. */
export interface SeenQuestions {
  /** One for each distinct question, as it was asked last. */
  questions: SeenQuestion[]
  traces: number
  /** Traces without the text of their query, or with its digest. */
  withoutText: number
  /** Lines that were not understood. */
  broken: number
}

const { version, shadow_of, tenant, collections, query, candidates } = traceSchema.shape
const { id, collection, doc_id, section_path, origin, final, reason } = candidates.element.shape

/** The part of a trace that is read. Other keys are not looked at. */
const traceLine = z.object({
  ...{ version, shadow_of, tenant, collections, query },
  endpoint: z.string(),
  intent: z.object({ label: z.enum(INTENTS) }).nullable(),
  candidates: z.array(
    z.object({ id, collection, doc_id, section_path, origin, final, reason, position: z.number().nullable() }),
  ),
})
type TraceLine = z.infer<typeof traceLine>

/** As TRACE_QUERY_TEXT=hash writes it. */
const DIGEST = /^sha256:[0-9a-f]+$/

/**
 * Reads the questions of files of traces, the oldest file first. Runs of replays and of shadows are left out. A last line that is still
 * being written is no fault.
 */
export async function readQuestions(files: Iterable<AsyncIterable<string>>): Promise<SeenQuestions> {
  const questions = new Map<string, SeenQuestion>()
  const seen = { traces: 0, withoutText: 0, broken: 0 }
  const note = (trace: TraceLine) => {
    if (trace.endpoint === 'replay' || trace.shadow_of !== null) return
    seen.traces += 1
    const question = questionOf(trace)
    if (question === null) seen.withoutText += 1
    else questions.set(question.key, question)
  }
  for (const file of files)
    for await (const { text, ended } of textLines(file)) {
      const trace = text.trim() === '' ? 'none' : parseTrace(text)
      if (trace === null) seen.broken += ended ? 1 : 0
      else if (trace !== 'none') note(trace)
    }
  return { questions: [...questions.values()], ...seen }
}

/** Equal for questions with the same words of the same tenant. */
export function questionKey(query: string, tenant: string | null): string {
  return JSON.stringify([comparableQuestion(query), tenant])
}

/** Null for a line that is not understood, and `none` for one that counts lost traces. */
function parseTrace(text: string): TraceLine | 'none' | null {
  try {
    const value = parseJson(text)
    return isLostTraces(value) ? 'none' : (traceLine.safeParse(value).data ?? null)
  } catch {
    return null
  }
}

/** Null for a trace without the text of its query. */
function questionOf(trace: TraceLine): SeenQuestion | null {
  const { query, tenant, intent, collections } = trace
  if (query === null || query.trim() === '' || DIGEST.test(query)) return null
  // A parent is too large to be marked; its children are there, too.
  const byUse = trace.candidates
    .filter(({ origin }) => origin !== 'parent')
    .sort(
      (left, right) =>
        (left.position ?? Number.POSITIVE_INFINITY) - (right.position ?? Number.POSITIVE_INFINITY) ||
        right.final - left.final,
    )
  const candidates = byUse.map(candidate => ({
    id: candidate.id,
    collection: candidate.collection,
    docId: candidate.doc_id,
    sectionPath: candidate.section_path,
    dropped: candidate.reason,
  }))
  return { key: questionKey(query, tenant), query, tenant, intent: intent?.label ?? null, collections, candidates }
}
