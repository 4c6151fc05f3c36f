import { z } from 'zod'
import { NAMED_PLANS } from './pipeline/plan/named-plans.ts'
import type { PlanOverrides } from './pipeline/plan/override-plan.ts'
import { overridePlan } from './pipeline/plan/override-plan.ts'
import { PLAN_NAMES, type Plan } from './pipeline/plan/plan.ts'

/** All faults of the environment at once; the message has one line per variable. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`Bad configuration:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

const onOff = z
  .enum(['on', 'off', '1', '0', 'true', 'false'])
  .transform(value => value === 'on' || value === '1' || value === 'true')
const count = (least: number, most: number) =>
  z.string().regex(/^\d+$/u, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
const capCount = z.union([z.enum(['off', 'none']).transform(() => null), count(1, 1000)])
const share = z
  .string()
  .regex(/^-?\d*\.?\d+$/u, 'must be a number')
  .transform(Number)
  .pipe(z.number().min(0).max(1))
const url = z.url({ protocol: /^https?$/u })
const text = z.string().min(1)

/** Every variable that stowage reads, and what it may hold. Unset means the plan's or the built-in default. */
const environmentSchema = z.object({
  STOWAGE_PLAN: z.enum(PLAN_NAMES).default('measured'),
  STOWAGE_DROPIN: z.enum(['improve', 'passthrough']).default('improve'),
  QDRANT_URL: url.optional(),
  QDRANT_API_KEY: text.optional(),
  EMBEDDED_PATH: text.optional(),
  HOST: text.default('127.0.0.1'),
  PORT: count(0, 65_535).default(6433),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
  CONTEXT_TOKEN_BUDGET: count(0, 10_000_000).optional(),
  TOKENIZER_MODEL: text.optional(),
  PACKING_PER_DOC_CAP: capCount.optional(),
  PACKING_PER_SECTION_CAP: capCount.optional(),
  PACKING_CAP_MODE: z.enum(['hard', 'soft']).optional(),
  PACKING_MODE: z.enum(['passage', 'sentence']).optional(),
  PACKING_NOVELTY_ALPHA: share.optional(),
  PACKING_ANSWERABILITY_BONUS: share.optional(),
  SECTION_REUNIFICATION: onOff.optional(),
  RETRIEVAL_K_BASE: count(1, 1000).optional(),
  HYBRID_VECTOR_WEIGHT: share.optional(),
  HYBRID_KEYWORD_WEIGHT: share.optional(),
  QUERY_ADAPTIVE_WEIGHTS: onOff.optional(),
  FUSION_METHOD: z.enum(['values', 'rrf']).optional(),
  MMR_ALPHA: z.union([z.literal('off').transform(() => null), share]).optional(),
  RERANKER: z.enum(['crossencoder', 'http', 'mmr', 'off']).optional(),
  RERANK_TOPK: count(1, 1000).optional(),
  RERANK_BLEND: share.optional(),
  RERANK_DEADLINE_MS: count(1, 600_000).optional(),
  RERANK_MODEL: text.optional(),
  RERANK_URL: url.optional(),
  RERANK_API_KEY: text.optional(),
  RERANK_SHAPE: z.enum(['cohere', 'jina', 'tei']).default('cohere'),
  EMBEDDER: z.enum(['local', 'openai', 'none']).default('local'),
  EMBEDDING_MODEL: text.optional(),
  OPENAI_BASE_URL: url.optional(),
  OPENAI_API_KEY: text.optional(),
  MODELS_ALLOW_REMOTE: onOff.default(false),
  REQUEST_DEADLINE_MS: count(1, 600_000).default(10_000),
  DROPIN_DEADLINE_MS: count(1, 600_000).default(2_500),
  CACHE_TTL_MS: count(0, 86_400_000).default(0),
  RETRIEVAL_TRACE: onOff.default(false),
  TRACE_FILE: text.optional(),
  TENANTS_FILE: z
    .undefined({ error: 'is not supported by this version: stowage would run without tenant isolation' })
    .optional(),
  UNLEASH_URL: z
    .undefined({ error: 'is not supported by this version: flags are read from the environment' })
    .optional(),
  UNLEASH_API_TOKEN: z
    .undefined({ error: 'is not supported by this version: flags are read from the environment' })
    .optional(),
})

type Environment = z.infer<typeof environmentSchema>

export interface Config {
  environment: Environment
  plan: Plan
}

const SECRETS: ReadonlySet<string> = new Set(['QDRANT_API_KEY', 'OPENAI_API_KEY', 'RERANK_API_KEY'])

/**
 * Reads the environment into a typed, frozen configuration. Empty variables count as unset.
 * @throws ConfigError that names every bad variable with its value (secrets are not shown)
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = environmentSchema.safeParse(given)
  const faults = parsed.success
    ? crossFaults(parsed.data)
    : parsed.error.issues.map(issue => describeFault(issue, given))
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)
  return Object.freeze({ environment: Object.freeze(parsed.data), plan: planOf(parsed.data) })
}

/** The configuration of a demo: as the environment says, but always on an embedded engine in memory. */
export function loadDemoConfig(): Config {
  const { QDRANT_URL: _url, QDRANT_API_KEY: _key, EMBEDDED_PATH: _path, ...environment } = process.env
  return loadConfig(environment)
}

/** The configuration as a flat record for people: every variable in force, secrets as `set`. */
export function effectiveConfig({ environment }: Config): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, SECRETS.has(name) ? 'set (not shown)' : value]),
  )
}

function describeFault(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0] ?? '')
  const value = SECRETS.has(name) ? '(not shown)' : JSON.stringify(given[name])
  return `${name}=${value}: ${issue.message}`
}

function crossFaults({ EMBEDDER, OPENAI_API_KEY, RERANKER, RERANK_URL }: Environment): string[] {
  const faults: string[] = []
  if (EMBEDDER === 'openai' && !OPENAI_API_KEY) faults.push('OPENAI_API_KEY: must be set when EMBEDDER=openai')
  if (RERANKER === 'http' && !RERANK_URL) faults.push('RERANK_URL: must be set when RERANKER=http')
  return faults
}

/** The named plan with what the environment sets by hand. */
function planOf(environment: Environment): Plan {
  const plan = NAMED_PLANS[environment.STOWAGE_PLAN]
  const reunified = environment.SECTION_REUNIFICATION
  const overrides: PlanOverrides = {
    ...given('budgetTokens', environment.CONTEXT_TOKEN_BUDGET),
    ...given('tokenizerModel', environment.TOKENIZER_MODEL),
    retrieval: {
      ...given('adaptive', environment.QUERY_ADAPTIVE_WEIGHTS),
      weights: {
        ...plan.retrieval.weights,
        ...given('dense', environment.HYBRID_VECTOR_WEIGHT),
        ...given('keyword', environment.HYBRID_KEYWORD_WEIGHT),
        ...given('perList', environment.RETRIEVAL_K_BASE),
      },
    },
    fusion: given('method', environment.FUSION_METHOD),
    rerank: {
      ...given('method', environment.RERANKER),
      ...given('keep', environment.RERANK_TOPK),
      ...given('blend', environment.RERANK_BLEND),
      ...given('deadlineMs', environment.RERANK_DEADLINE_MS),
    },
    answerability: given('bonus', environment.PACKING_ANSWERABILITY_BONUS),
    reunification:
      reunified === undefined
        ? {}
        : reunified
          ? NAMED_PLANS.measured.reunification
          : { smoothing: 0, documentShare: 0, growth: 0 },
    diversity:
      environment.RERANKER === 'mmr'
        ? { mmrAlpha: environment.MMR_ALPHA ?? 0.5 }
        : given('mmrAlpha', environment.MMR_ALPHA),
    packing: {
      ...given('perDocument', environment.PACKING_PER_DOC_CAP),
      ...given('perSection', environment.PACKING_PER_SECTION_CAP),
      ...given('capMode', environment.PACKING_CAP_MODE),
      ...given('mode', environment.PACKING_MODE),
      ...given('noveltyAlpha', environment.PACKING_NOVELTY_ALPHA),
    },
  }
  return overridePlan(plan, overrides)
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value })
}
