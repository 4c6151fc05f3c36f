import { z } from 'zod'
import { EFFECT_VERDICTS } from '../../core/vocabulary.ts'
import { MEASURE_NAMES } from '../metrics/measures.ts'
import type { ReplayReport } from '../replay/results.ts'
import { type ReplaySummary, SLICES } from '../summary/summary.ts'

const measureName = z.enum(MEASURE_NAMES)
const interval = z.object({
  mean: z.number(),
  low: z.number(),
  high: z.number(),
  n: z.int(),
  nonZero: z.int(),
})
const comparison = z.object({
  difference: interval,
  p: z.number(),
  adjustedP: z.number(),
  smallestEffect: z.number().nullable(),
  verdict: z.enum(Object.keys(EFFECT_VERDICTS) as [keyof typeof EFFECT_VERDICTS]),
})
const figure = z.object({
  mean: z.number(),
  n: z.int(),
  interval: interval.nullable(),
  against: comparison.nullable(),
})
const latency = z.object({ p50: z.number(), p95: z.number(), p99: z.number() })
const armSummary = z.object({
  arm: z.string(),
  figures: z.partialRecord(measureName, z.record(z.string(), figure)),
  knee: z.number().nullable(),
  latency: z.record(z.string(), latency),
  degradedShare: z.number(),
  overrunShare: z.number(),
  lost: z.int(),
})
const setFacts = {
  name: z.string(),
  hash: z.string(),
  documents: z.int(),
  chunks: z.int(),
  embedder: z.string().nullable(),
  degraded: z.record(z.string(), z.int()),
}
const summary = z.object({
  against: z.string(),
  measure: measureName,
  measures: z.array(measureName),
  budgets: z.array(z.int()),
  arms: z.array(z.string()),
  chunkTokens: z.int(),
  parallel: z.int(),
  sets: z.array(z.object({ ...setFacts, n: z.int() })),
  bootstrap: z.object({ resamples: z.int(), seed: z.int(), confidence: z.number() }),
  slices: z.array(
    z.object({
      by: z.enum(SLICES),
      value: z.string(),
      n: z.int(),
      queries: z.record(z.string(), z.int()),
      arms: z.array(armSummary),
    }),
  ),
})
const runFigures = z.object({
  measures: z.record(measureName, z.number().nullable()),
  overrun: z.number(),
  lost: z.number(),
  ms: z.number(),
  stageMs: z.record(z.string(), z.number()),
  degraded: z.array(z.string()),
  chunkIds: z.array(z.string()),
})
const queryResult = z.object({
  id: z.string(),
  query: z.string(),
  intent: z.string().nullable(),
  grade: z.string().nullable(),
  golds: z.int(),
  arms: z.record(z.string(), z.record(z.string(), runFigures)),
})

/** The document that `--json` writes, version 2: the summary, then the figures of every query. Readers ignore keys that they do not know. */
export const replayJsonSchema = z.object({
  version: z.literal(2),
  summary,
  budgets: z.array(z.int()),
  chunkTokens: z.int(),
  /** Queries in flight; absent for one. */
  parallel: z.int().optional(),
  reranker: z.string().nullable(),
  arms: z.array(
    z.object({
      kind: z.enum(['plan', 'server']),
      name: z.string(),
      planFingerprint: z.string().nullable(),
      plan: z.record(z.string(), z.unknown()).nullable(),
      url: z.string().nullable(),
    }),
  ),
  sets: z.array(z.object({ ...setFacts, queries: z.array(queryResult) })),
})

/** Prints the document of `replayJsonSchema`. */
export function reportJson(report: ReplayReport, summary: ReplaySummary): string {
  return `${JSON.stringify({ ...report, version: 2, summary })}\n`
}
