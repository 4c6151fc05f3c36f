import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { closestName } from './core/closest-name.ts'
import { redactUrls } from './core/redact-urls.ts'
import { readKillSwitch } from './flags/kill-switch.ts'
import { NAMED_PLANS } from './pipeline/plan/named-plans.ts'
import { overridePlanByText } from './pipeline/plan/override-plan.ts'
import { PLAN_NAMES, type Plan } from './pipeline/plan/plan.ts'
import { PLAN_VALUES } from './pipeline/plan/plan-values.ts'
import { type PayloadMappings, parseMappings } from './qdrant/payload-mappings.ts'

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
const url = z
  .url({ protocol: /^https?$/u })
  .refine(
    hasNoUser,
    'must not contain a user or password: stowage does not send them, and a URL is no place for a secret',
  )
const onOff = z.stringbool({ truthy: ['on', '1', 'true'], falsy: ['off', '0', 'false'], case: 'sensitive' })
const wholeNumber = (least: number, most: number) =>
  z.string().regex(/^\d+$/u, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
const names = text.transform(given =>
  given
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== ''),
)
/** The keys of flags that are off, whatever any source says. */
const flagsOff = text.transform((given, context): ReadonlySet<string> => {
  const { off, faults } = readKillSwitch(given)
  for (const message of faults) context.addIssue({ code: 'custom', message })
  return off
})

/** JSON in the variable itself, or the path of a file with it. */
const mappings = text.transform((given, context): PayloadMappings => {
  const read = given.trimStart().startsWith('{') ? parseMappings(given) : readMappingsFile(given)
  for (const message of read.faults) context.addIssue({ code: 'custom', message })
  return read.mappings
})

function readMappingsFile(path: string): ReturnType<typeof parseMappings> {
  let json: string
  try {
    json = readFileSync(path, 'utf8')
  } catch (error) {
    return { mappings: {}, faults: [`cannot be read: ${error instanceof Error ? error.message : String(error)}`] }
  }
  return parseMappings(json)
}

/** The environment variables that are not plan values. */
export const settingsSchema = z.object({
  STOWAGE_PLAN: setting(z.enum(PLAN_NAMES).default('measured'), 'The named plan. Other variables change its values.'),
  STOWAGE_DROPIN: setting(
    z.enum(['improve', 'passthrough']).default('improve'),
    'Improve searches on the paths of Qdrant, or pass all of them through.',
  ),
  QDRANT_URL: setting(url.optional(), 'URL of Qdrant. Unset: the embedded engine.'),
  QDRANT_API_KEY: secret('API key for `ingest` and `doctor`. It is never used for requests of clients.'),
  MAPPINGS: setting(
    mappings.optional(),
    'Payload fields of collections that stowage has not written: JSON such as `{"docs": {"text": "metadata.body"}}`, or the path of a JSON file.',
  ),
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
  INGESTION_GUARD: setting(
    z.enum(['enforce', 'warn', 'off']).default('enforce'),
    'Check the points that clients write to managed collections, those that `stowage ingest` made: refuse points that do not fit, or only count and log them.',
  ),
  INGESTION_GUARD_ALLOW_MIXED: setting(
    onOff.default(false),
    'Allow points of another `embedder_version` than the collection has.',
  ),
  MANAGED_COLLECTIONS: setting(
    names.default([]),
    'More collections that are managed, by name or pattern, separated by commas: `docs,team-*`.',
  ),
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
  TENANTS_FILE: setting(
    text.optional(),
    'File of tenants, YAML or JSON. It is read again when it changes. Unset: keys of clients go on to Qdrant.',
  ),
  ROLLOUT_STATE_FILE: setting(
    text.optional(),
    'File that keeps the rollbacks of experiments over a restart. Unset: a restart ends them.',
  ),
  STOWAGE_FLAGS_OFF: setting(
    flagsOff.optional(),
    'Flags that are off, whatever any source says: keys with or without `stowage.`, separated by commas, or `all`.',
  ),
  UNLEASH_URL: setting(
    url.optional(),
    'URL of the API of an Unleash server, such as `http://unleash:4242/api`. Unset: no server is asked.',
  ),
  UNLEASH_API_TOKEN: secret('Backend token (client token) for that server. It names project and environment.'),
  UNLEASH_REFRESH_MS: setting(
    wholeNumber(100, 3_600_000).default(15_000),
    'How often flags are refreshed, in milliseconds.',
  ),
  UNLEASH_ENVIRONMENT: setting(
    text.default('default'),
    'The `environment` that constraints of flags see, also those of `FLAGS_FILE`. Which values Unleash answers is decided by the token.',
  ),
  UNLEASH_APP_NAME: setting(
    text.default('stowage'),
    'The `appName` that Unleash shows, and that constraints of flags see.',
  ),
  UNLEASH_BACKUP_FILE: setting(
    text.optional(),
    'File for the last flags of Unleash, for a start while the server is away. Unset: they are kept in memory only.',
  ),
  FLAGS_FILE: setting(
    text.optional(),
    'File of flags, JSON or YAML as the client API of Unleash answers. It is used until Unleash has answered, and read again when it changes.',
  ),
  PLANS_FOLDER: setting(
    text.optional(),
    'Folder of plan files, `NAME.json` or `NAME.yaml`, that a variant of a flag can name. It is read again when it changes.',
  ),
})

export type Settings = z.infer<typeof settingsSchema>

/** Variables by name; an empty or undefined one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface Config {
  settings: Settings
  plan: Plan
  /** The variables that are set. They hold secrets. */
  environment: Environment
  /** One sentence for each variable that looks like one of stowage and is none. */
  unknownVariables: readonly string[]
}

/**
 * Reads a frozen configuration from the environment. Empty variables count as unset.
 * @throws ConfigError with every wrong variable and its value; secrets are not shown
 */
export function loadConfig(environment: Environment = process.env): Config {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && value !== '') given[name] = value
  const settings = settingsSchema.safeParse(given)
  const { plan, faults } = planOf(given)
  const all = [
    ...(settings.error?.issues.map(issue => describeFault(issue, given)) ?? []),
    ...faults,
    ...crossFaults(given, plan),
  ]
  const unknownVariables = Object.freeze(describeUnknown(Object.keys(given)))
  if (!settings.success || all.length > 0) throw new ConfigError([...all, ...unknownVariables])
  return Object.freeze({
    settings: Object.freeze(settings.data),
    plan,
    environment: Object.freeze(given),
    unknownVariables,
  })
}

/** Reads the configuration of a demo: always the embedded engine in memory, without tenants and flags. */
export function loadDemoConfig(): Config {
  const {
    QDRANT_URL: _url,
    QDRANT_API_KEY: _key,
    EMBEDDED_PATH: _path,
    TENANTS_FILE: _file,
    STOWAGE_FLAGS_OFF: _off,
    UNLEASH_URL: _unleash,
    FLAGS_FILE: _flags,
    PLANS_FOLDER: _plans,
    ...environment
  } = process.env
  return loadConfig(environment)
}

/** Whether npm or npx started this process. npm sets the variable for every command that it runs. */
export function startedByNpm(environment: Environment = process.env): boolean {
  return environment.npm_lifecycle_event !== undefined
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
  return `${name}=${isSecret ? '(not shown)' : redactUrls(shortened(given[name] ?? ''))}: ${issue.message}`
}

function hasNoUser(value: string): boolean {
  return !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === '')
}

const LONGEST_SHOWN = 120

function shortened(value: string): string {
  return value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value
}

/** Faults of several variables together. They are found beside the faults of single ones. */
function crossFaults(given: Readonly<Record<string, string>>, { rerank }: Plan): string[] {
  const faults: string[] = []
  if (given.EMBEDDER === 'openai' && !given.OPENAI_API_KEY)
    faults.push('OPENAI_API_KEY: must be set when EMBEDDER=openai')
  if (rerank.method === 'http' && !given.RERANK_URL) faults.push('RERANK_URL: must be set when RERANKER=http')
  return faults
}

const VARIABLES = [...Object.keys(settingsSchema.shape), ...PLAN_VALUES.flatMap(({ variable }) => variable ?? [])]
/** Kubernetes sets these in every pod beside a service called `stowage`. */
const OF_KUBERNETES = /^STOWAGE_(?:SERVICE|PORT)(?:_|$)/u
const OUR_PREFIXES = /^(?:STOWAGE|DROPIN|PACKING)_/u
/** Names as short as PORT are too close to the variables of others. */
const SHORTEST_GUESSED = 6
const GUESSED = VARIABLES.filter(variable => variable.length >= SHORTEST_GUESSED)

/** Names with a prefix of stowage, and names that are a slip of the hand away from a variable. */
function describeUnknown(names: readonly string[]): string[] {
  const unknown = names.filter(name => !VARIABLES.includes(name) && !OF_KUBERNETES.test(name))
  return unknown.flatMap(name => {
    const meant = closestName(name, GUESSED)
    if (meant !== null) return `${name}: stowage has no such variable; did you mean ${meant}?`
    return OUR_PREFIXES.test(name) ? `${name}: stowage has no such variable` : []
  })
}
