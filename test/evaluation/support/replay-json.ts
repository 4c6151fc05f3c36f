import { z } from 'zod'
import { codesOf, DROP_REASONS, EFFECT_VERDICTS } from '../../../src/core/vocabulary.ts'
import { LOSS_RULES } from '../../../src/evaluation/loss/loss.ts'
import { LOSS_STEP_NAMES } from '../../../src/evaluation/loss/steps.ts'
import { MEASURE_NAMES } from '../../../src/evaluation/metrics/measures.ts'

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
      by: z.enum(['all', 'set', 'intent', 'grade']),
      value: z.string(),
      n: z.int(),
      queries: z.record(z.string(), z.int()),
      unpaired: z.partialRecord(measureName, z.int()),
      arms: z.array(armSummary),
    }),
  ),
})
const step = z.enum(LOSS_STEP_NAMES)
const oracle = z.object({ lists: z.number(), pool: z.number(), packing: z.number() })
const goldLoss = z.object({
  step,
  share: z.number(),
  holder: z
    .object({
      id: z.string(),
      docId: z.string(),
      reason: z.enum(codesOf(DROP_REASONS)).nullable(),
      rank: z.int().nullable(),
    })
    .nullable(),
})
const ruleLoss = z.object({ golds: z.array(goldLoss), oracle })
const losses = z.object({
  budget: z.array(
    z.object({
      set: z.string().nullable(),
      arm: z.string(),
      budget: z.string(),
      rule: z.enum(LOSS_RULES),
      queries: z.int(),
      points: z.record(step, z.number()),
      golds: z.record(step, z.int()),
      oracle,
      closed: z.number().nullable(),
    }),
  ),
  worst: z.array(
    z.object({
      arm: z.string(),
      set: z.string(),
      id: z.string(),
      query: z.string(),
      lost: z.number(),
      golds: z.array(z.object({ gold: z.int(), text: z.string(), losses: z.record(z.string(), goldLoss) })),
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
  loss: z.object({ text: ruleLoss, place: ruleLoss.nullable() }).optional(),
})
const queryResult = z.object({
  id: z.string(),
  query: z.string(),
  intent: z.string().nullable(),
  grade: z.string().nullable(),
  golds: z.int(),
  arms: z.record(z.string(), z.record(z.string(), runFigures)),
})

/** The shape of `ReplayDocument`, which clients of `--json` rely on: a change of a type must not change it by accident. */
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
  losses: losses.optional(),
})
