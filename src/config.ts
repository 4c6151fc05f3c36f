import { z } from 'zod'
import { NAMED_PLANS } from './pipeline/plan/named-plans.ts'
import { overridePlanByText } from './pipeline/plan/override-plan.ts'
import { PLAN_NAMES, type Plan } from './pipeline/plan/plan.ts'
import { PLAN_VALUES } from './pipeline/plan/plan-values.ts'

/** Lists all faults of the environment, one line per variable. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`Bad configuration:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

const setting = <Schema extends z.ZodType>(schema: Schema, description: string): Schema => schema.meta({ description })
const secret = (description: string) => z.string().min(1).optional().meta({ description, secret: true })
const text = z.string().min(1)
const url = z.url({ protocol: /^https?$/u })
const onOff = z.stringbool({ truthy: ['on', '1', 'true'], falsy: ['off', '0', 'false'], case: 'sensitive' })
const wholeNumber = (least: number, most: number) =>
  z.string().regex(/^\d+$/u, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
const unsupported = (consequence: string) =>
  setting(z.undefined({ error: `is not supported by this version: ${consequence}` }).optional(), 'Not supported yet.')

/** The environment variables that are not plan values. */
export const settingsSchema = z.object({
  STOWAGE_PLAN: setting(z.enum(PLAN_NAMES).default('measured'), 'The named plan. Other variables change its values.'),
  STOWAGE_DROPIN: setting(
    z.enum(['improve', 'passthrough']).default('improve'),
    'Improve searches on the paths of Qdrant, or pass all of them through.',
  ),
  QDRANT_URL: setting(url.optional(), 'URL of Qdrant. Unset: the embedded engine.'),
  QDRANT_API_KEY: secret('API key for `ingest` and `doctor`. It is never used for requests of clients.'),
  EMBEDDED_PATH: setting(text.optional(), 'Folder of the embedded engine. Unset: in memory.'),
  HOST: setting(text.default('127.0.0.1'), 'Address to listen on.'),
  PORT: setting(wholeNumber(0, 65_535).default(6433), 'Port to listen on; 0 takes a free port.'),
  LOG_LEVEL: setting(
    z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
    'Lowest log level that is written.',
  ),
  RERANK_MODEL: setting(
    text.optional(),
    'Folder or hub id of the cross-encoder, or the model name for `RERANKER=http`. Unset: the model included in the package.',
  ),
  RERANK_URL: setting(url.optional(), 'Endpoint for `RERANKER=http`.'),
  RERANK_API_KEY: secret('Key of that endpoint.'),
  RERANK_SHAPE: setting(z.enum(['cohere', 'jina', 'tei']).default('cohere'), 'Request format of that endpoint.'),
  EMBEDDER: setting(
    z.enum(['local', 'openai', 'none']).default('local'),
    'Embedder of queries and documents: a local model, an OpenAI-compatible endpoint, or none.',
  ),
  EMBEDDING_MODEL: setting(text.optional(), 'Folder, hub id or model name. Unset: the model included in the package.'),
  OPENAI_BASE_URL: setting(url.optional(), 'Base URL of the endpoint for `EMBEDDER=openai`.'),
  OPENAI_API_KEY: secret('Key of that endpoint.'),
  MODELS_ALLOW_REMOTE: setting(onOff.default(false), 'Allow models to be downloaded from the hub.'),
  REQUEST_DEADLINE_MS: setting(
    wholeNumber(1, 600_000).default(10_000),
    'Default deadline of `/v1/context`, in milliseconds.',
  ),
  DROPIN_DEADLINE_MS: setting(
    wholeNumber(1, 600_000).default(2_500),
    "Longest time for improving a search, in milliseconds. After it, the client's own request is forwarded.",
  ),
  DROPIN_HEDGE_MS: setting(
    wholeNumber(1, 600_000).default(200),
    "How long Qdrant may take for an improved search, in milliseconds. After it, the client's own request is sent beside it, and the first good answer wins.",
  ),
  CACHE_TTL_MS: setting(
    wholeNumber(0, 86_400_000).default(0),
    'How long answers of `/v1/context` are cached, in milliseconds; 0 is off.',
  ),
  RETRIEVAL_TRACE: setting(onOff.default(false), 'Include the trace in every response of `/v1/context`.'),
  TRACE_FILE: setting(text.optional(), 'File for traces as JSON lines. It is rotated at 64 MiB, and 5 files are kept.'),
  TENANTS_FILE: unsupported('stowage would run without tenant isolation'),
  UNLEASH_URL: unsupported('flags are read from the environment'),
  UNLEASH_API_TOKEN: unsupported('flags are read from the environment'),
})

export type Settings = z.infer<typeof settingsSchema>

export interface Config {
  settings: Settings
  plan: Plan
}

/**
 * Reads a frozen configuration from the environment. Empty variables count as unset.
 * @throws ConfigError with every wrong variable and its value; secrets are not shown
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && value !== '') given[name] = value
  const settings = settingsSchema.safeParse(given)
  const { plan, faults } = planOf(given)
  const all = [
    ...(settings.error?.issues.map(issue => describeFault(issue, given)) ?? []),
    ...faults,
    ...(settings.success && faults.length === 0 ? crossFaults(settings.data, plan) : []),
  ]
  if (!settings.success || all.length > 0) throw new ConfigError(all)
  return Object.freeze({ settings: Object.freeze(settings.data), plan })
}

/** Reads the configuration of a demo: always the embedded engine in memory. */
export function loadDemoConfig(): Config {
  const { QDRANT_URL: _url, QDRANT_API_KEY: _key, EMBEDDED_PATH: _path, ...environment } = process.env
  return loadConfig(environment)
}

function planOf(given: Readonly<Record<string, string>>): ReturnType<typeof overridePlanByText> {
  const name = PLAN_NAMES.find(known => known === given.STOWAGE_PLAN) ?? 'measured'
  const overrides = PLAN_VALUES.flatMap(({ path, variable }) => {
    const value = variable === null ? undefined : given[variable]
    return value === undefined || variable === null || path === 'name' ? [] : [{ path, value, name: variable }]
  })
  return overridePlanByText(NAMED_PLANS[name], overrides)
}

function describeFault(issue: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string {
  const name = String(issue.path[0] ?? '')
  const isSecret = Object.entries(settingsSchema.shape).some(([key, schema]) => key === name && schema.meta()?.secret)
  return `${name}=${isSecret ? '(not shown)' : given[name]}: ${issue.message}`
}

function crossFaults({ EMBEDDER, OPENAI_API_KEY, RERANK_URL }: Settings, { rerank }: Plan): string[] {
  const faults: string[] = []
  if (EMBEDDER === 'openai' && !OPENAI_API_KEY) faults.push('OPENAI_API_KEY: must be set when EMBEDDER=openai')
  if (rerank.method === 'http' && !RERANK_URL) faults.push('RERANK_URL: must be set when RERANKER=http')
  return faults
}
