import { z } from 'zod'
import { NAMED_PLANS } from './pipeline/plan/named-plans.ts'
import { overridePlanByText } from './pipeline/plan/override-plan.ts'
import { PLAN_NAMES, type Plan } from './pipeline/plan/plan.ts'
import { PLAN_VALUES } from './pipeline/plan/plan-values.ts'

/** All faults of the environment at once; the message has one line per variable. */
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
const unsupported = (description: string, error: string) => z.undefined({ error }).optional().meta({ description })

/** The variables that are not values of the plan. */
export const settingsSchema = z.object({
  STOWAGE_PLAN: setting(
    z.enum(PLAN_NAMES).default('measured'),
    'The named plan that the variables of the plan change.',
  ),
  STOWAGE_DROPIN: setting(
    z.enum(['improve', 'passthrough']).default('improve'),
    'Whether searches on Qdrant paths are improved, or all of them pass through.',
  ),
  QDRANT_URL: setting(url.optional(), 'The Qdrant behind stowage. Unset: the embedded engine.'),
  QDRANT_API_KEY: secret('The key that `ingest` and `doctor` use. It is never sent for a client that brings no key.'),
  EMBEDDED_PATH: setting(text.optional(), 'Folder of the embedded engine. Unset: in memory.'),
  HOST: setting(text.default('127.0.0.1'), 'Address to listen on.'),
  PORT: setting(wholeNumber(0, 65_535).default(6433), 'Port to listen on; 0 takes a free one.'),
  LOG_LEVEL: setting(
    z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
    'Lowest level that is logged.',
  ),
  RERANK_MODEL: setting(
    text.optional(),
    'Folder or hub id of the cross-encoder, or the model name for `RERANKER=http`. Unset: the model that ships.',
  ),
  RERANK_URL: setting(url.optional(), 'Endpoint for `RERANKER=http`.'),
  RERANK_API_KEY: secret('Key of that endpoint.'),
  RERANK_SHAPE: setting(z.enum(['cohere', 'jina', 'tei']).default('cohere'), 'Request format of that endpoint.'),
  EMBEDDER: setting(
    z.enum(['local', 'openai', 'none']).default('local'),
    'What embeds queries and documents: a local model, an OpenAI-compatible endpoint, or nothing.',
  ),
  EMBEDDING_MODEL: setting(text.optional(), 'Folder, hub id or model name. Unset: the model that ships.'),
  OPENAI_BASE_URL: setting(url.optional(), 'Base URL of the endpoint for `EMBEDDER=openai`.'),
  OPENAI_API_KEY: secret('Key of that endpoint.'),
  MODELS_ALLOW_REMOTE: setting(onOff.default(false), 'Allow models to be downloaded from the hub.'),
  REQUEST_DEADLINE_MS: setting(
    wholeNumber(1, 600_000).default(10_000),
    'Deadline of `/v1/context` when the request names none, in milliseconds.',
  ),
  DROPIN_DEADLINE_MS: setting(
    wholeNumber(1, 600_000).default(2_500),
    "Longest time for improving a search, in milliseconds; then the client's own request is sent.",
  ),
  CACHE_TTL_MS: setting(
    wholeNumber(0, 86_400_000).default(0),
    'How long answers of `/v1/context` are reused, in milliseconds; 0 is off.',
  ),
  RETRIEVAL_TRACE: setting(onOff.default(false), 'Put the trace into every response.'),
  TRACE_FILE: setting(text.optional(), 'File to append traces to, as JSON lines; rotated at 64 MiB, 5 files.'),
  TENANTS_FILE: unsupported(
    'Not supported yet.',
    'is not supported by this version: stowage would run without tenant isolation',
  ),
  UNLEASH_URL: unsupported(
    'Not supported yet.',
    'is not supported by this version: flags are read from the environment',
  ),
  UNLEASH_API_TOKEN: unsupported(
    'Not supported yet.',
    'is not supported by this version: flags are read from the environment',
  ),
})

export type Settings = z.infer<typeof settingsSchema>

export interface Config {
  settings: Settings
  plan: Plan
}

/**
 * Reads the environment into a typed, frozen configuration. Empty variables count as unset.
 * @throws ConfigError that names every bad variable with its value (secrets are not shown)
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

/** The configuration of a demo: as the environment says, but always on an embedded engine in memory. */
export function loadDemoConfig(): Config {
  const { QDRANT_URL: _url, QDRANT_API_KEY: _key, EMBEDDED_PATH: _path, ...environment } = process.env
  return loadConfig(environment)
}

/** The named plan with the plan values that the environment sets. */
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
