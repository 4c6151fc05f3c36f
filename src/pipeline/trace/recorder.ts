import type { Candidate, Degradation, Dropped, PointId } from '../../core/types.ts'
import type { DetectedIntent } from '../../intent/detect.ts'
import type { PackedChunk } from '../../pack/pack.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import type { Plan } from '../plan/plan.ts'
import { TRACE_VERSION, type Trace, type TraceCandidate } from './schema.ts'

/** What is known of a request before its first step. */
export interface TraceSubject {
  traceId: string
  startedAt: string
  door: Trace['door']
  tenant: string | null
  sessionId: string | null
  arm: string
  collections: string[]
  query: string | null
  plan: Plan
}

/** What the pipeline decided, for the trace to tell. */
export interface TraceOutcome {
  packed: readonly PackedChunk[]
  dropped: readonly Dropped[]
  tokensUsed: number
  encoding: string
}

/** Takes down one request: stages with their times, degradations, and at the end every candidate with its one decision. */
export class TraceRecorder {
  readonly subject: TraceSubject
  readonly degraded: Degradation[] = []
  private readonly stages: Trace['stages'] = []
  private readonly now: () => number
  private intent: DetectedIntent | null = null

  constructor(subject: TraceSubject, now: () => number) {
    this.subject = subject
    this.now = now
  }

  /** Runs a step and notes its time and how many candidates went in and came out. */
  async step<T>(name: string, input: number, run: () => T | Promise<T>, size: (result: T) => number): Promise<T> {
    const from = this.now()
    const result = await run()
    this.stages.push({ name, ms: Math.round((this.now() - from) * 1000) / 1000, in: input, out: size(result) })
    return result
  }

  found(intent: DetectedIntent | null): void {
    this.intent = intent
  }

  degrade(code: string, detail: string): void {
    if (!this.degraded.some(entry => entry.code === code && entry.detail === detail))
      this.degraded.push({ code, detail })
  }

  finish({ packed, dropped, tokensUsed, encoding }: TraceOutcome): Trace {
    const { subject } = this
    const inside = packed.map((chunk, index) => packedCandidate(chunk, index + 1))
    const outside = dropped.map(droppedCandidate)
    return {
      version: TRACE_VERSION,
      trace_id: subject.traceId,
      door: subject.door,
      started_at: subject.startedAt,
      tenant: subject.tenant,
      session_id: subject.sessionId,
      arm: subject.arm,
      collections: subject.collections,
      query: subject.query,
      intent: this.intent,
      plan: { ...subject.plan },
      plan_fingerprint: planFingerprint(subject.plan),
      cache: 'off',
      stages: this.stages,
      degraded: this.degraded,
      counts: { retrieved: inside.length + outside.length, packed: inside.length, dropped: outside.length },
      budget: { tokens: subject.plan.budgetTokens, used: tokensUsed, tokenizer: subject.plan.tokenizerModel, encoding },
      candidates: [...inside, ...outside],
    }
  }
}

/** Identifies a plan: same decisions, same fingerprint. */
export function planFingerprint(plan: Plan): string {
  return fingerprint(plan)
}

function packedCandidate({ candidate, tokens }: PackedChunk, position: number): TraceCandidate {
  return { ...describe(candidate), tokens, decision: 'packed', position, reason: null, evidence: null }
}

function droppedCandidate({ candidate, reason, evidence }: Dropped): TraceCandidate {
  return { ...describe(candidate), tokens: null, decision: 'dropped', position: null, reason, evidence }
}

function describe({ chunk, origin, signals, fused, rerank, answerability, value }: Candidate) {
  const id: PointId = chunk.id
  return {
    id,
    collection: chunk.collection,
    doc_id: chunk.docId,
    section_path: chunk.sectionPath,
    order_index: chunk.orderIndex,
    origin,
    lists: signals,
    fused,
    rerank,
    answerability,
    final: value,
  }
}
