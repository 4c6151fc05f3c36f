import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import { CONTEXT_FORMATS, CONTEXT_ORDERS, INTENTS } from '../../core/types.ts'
import { PLAN_NAMES, type Plan } from '../../pipeline/plan/plan.ts'

const count = z.int().min(1)
const share = z.number().min(0).max(1)
const weights = z.strictObject({ dense: z.number().min(0), keyword: z.number().min(0), perList: count })

const planSchema: z.ZodType<Plan> = z.strictObject({
  name: z.enum(PLAN_NAMES),
  budgetTokens: z.int().min(0),
  tokenizerModel: z.string().min(1),
  maxChunks: count.nullable(),
  format: z.enum(CONTEXT_FORMATS),
  order: z.enum(CONTEXT_ORDERS),
  retrieval: z.strictObject({
    weights,
    adaptive: z.boolean(),
    presets: z.record(z.enum(INTENTS), weights),
    pool: count,
  }),
  fusion: z.strictObject({
    method: z.enum(['values', 'rrf']),
    rrfK: z.number().min(0),
    poolBm25: z.boolean(),
    partialDenseWeight: share,
  }),
  dedupe: z.strictObject({ containment: share.nullable() }),
  rerank: z.strictObject({
    method: z.enum(['crossencoder', 'http', 'mmr', 'off']),
    depth: count,
    keep: count.nullable(),
    blend: share,
    deadlineMs: z.number().min(0),
  }),
  answerability: z.strictObject({ bonus: share }),
  reunification: z.strictObject({
    smoothing: z.number().min(0),
    documentShare: z.number().min(0),
    growth: share,
    scope: z.enum(['section', 'document']),
    fetch: z.boolean(),
  }),
  diversity: z.strictObject({ mmrAlpha: share.nullable() }),
  packing: z.strictObject({
    counting: z.enum(['tokens', 'characters']),
    mode: z.enum(['passage', 'sentence']),
    misfit: z.enum(['skip', 'stop', 'blind_cut']),
    maxMisses: z.int().min(0),
    cut: z.boolean(),
    perDocument: count.nullable(),
    perSection: count.nullable(),
    capMode: z.enum(['hard', 'soft']),
    noveltyAlpha: share,
  }),
})

/** One value of the plan set by hand: `path` with dots (`packing.cut`), `value` as written. */
export interface Override {
  path: string
  value: string
}

/** The plan with the overrides in place; unknown paths and values that do not fit are a `bad_request` that lists what there is. */
export function overridePlan(plan: Plan, overrides: readonly Override[]): Plan {
  const changed = structuredClone(plan)
  const paths = leafPaths(plan)
  for (const { path, value } of overrides) {
    if (!paths.includes(path))
      throw new StowageError('bad_request', `no plan value is called ${path}; there are: ${paths.join(', ')}`)
    setAt(changed, path.split('.'), literal(value))
  }
  const checked = planSchema.safeParse(changed)
  if (checked.success) return checked.data
  const faults = checked.error.issues.map(({ path, message }) => {
    const written = overrides.findLast(override => override.path === path.join('.'))?.value
    return `${path.join('.')}=${written ?? '?'}: ${message}`
  })
  throw new StowageError('bad_request', faults.join('; '))
}

/** Paths of the plan's values, `retrieval.weights.dense` like. Its name and budget are replay's own to set. */
function leafPaths(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${prefix}${key}`
    if (path === 'name' || path === 'budgetTokens') return []
    return typeof inner === 'object' && inner !== null ? leafPaths(inner, `${path}.`) : [path]
  })
}

function setAt(target: object, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys
  if (rest.length === 0) Reflect.set(target, key, value)
  else setAt(Reflect.get(target, key), rest, value)
}

/** Numbers, true, false and null are themselves; all else is a word. */
function literal(text: string): unknown {
  const words: Record<string, unknown> = { true: true, false: false, null: null }
  if (Object.hasOwn(words, text)) return words[text]
  return /^-?\d+(\.\d+)?$|^-?\.\d+$/.test(text) ? Number(text) : text
}
