import type { z } from 'zod'
import { isPlanFile, readPlanFile } from './config/plan-file.ts'
import { type Settings, settingsSchema } from './config/settings.ts'
import { describeUnknown } from './config/unknown-variables.ts'
import { redactUrls } from './core/redact-urls.ts'
import { shortened } from './core/schema-faults.ts'
import { changePlan } from './pipeline/plan/changes.ts'
import { NAMED_PLANS } from './pipeline/plan/named-plans.ts'
import { overridePlanByText } from './pipeline/plan/override-plan.ts'
import { PLAN_NAMES, type Plan } from './pipeline/plan/plan.ts'
import { PLAN_VALUES } from './pipeline/plan/plan-values.ts'

/** Lists all faults of the environment, one line per variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`Bad configuration:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** What the disk says of a path, with the name of the setting that holds it. Other errors stay as they are. */
export function diskFault(name: string, path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error
  // Then nothing is wrong with the path.
  const isOutOfFiles = error.code === 'EMFILE' || error.code === 'ENFILE'
  const reason = isOutOfFiles
    ? `the limit of open files is reached (${error.code}): raise it (ulimit -n, LimitNOFILE)`
    : error.message
  return new ConfigError([`${name}=${path}: cannot be used: ${reason}`])
}

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
 * @param changes variables with other values, such as those of a project; undefined unsets one
 * @throws ConfigError with every wrong variable and its value; secrets are not shown
 */
export function loadConfig(environment: Environment = process.env, changes: Environment = {}): Config {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...environment, ...changes }))
    if (value !== undefined && value !== '') given[name] = value
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

/** Reads the configuration of a demo: always the embedded engine in memory, without tenants and flags, and with the page to look at. */
export function loadDemoConfig(): Config {
  return loadConfig({ UI: 'on', ...process.env }, Object.fromEntries(NOT_IN_DEMOS.map(name => [name, undefined])))
}

const UPSTREAM = ['QDRANT_URL', 'QDRANT_API_KEY', 'EMBEDDED_PATH', 'TENANTS_FILE']
const NOT_IN_DEMOS = [...UPSTREAM, 'STOWAGE_FLAGS_OFF', 'UNLEASH_URL', 'FLAGS_FILE', 'PLANS_FOLDER']

/** Whether npm or npx started this process. npm sets the variable for every command that it runs. */
export function startedByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined
}

function planOf(given: Readonly<Record<string, string>>): ReturnType<typeof overridePlanByText> {
  const { base, faults: ofFile } = basePlanOf(given.STOWAGE_PLAN ?? '')
  const overrides = PLAN_VALUES.flatMap(({ path, variable }) => {
    const value = variable === null ? undefined : given[variable]
    return value === undefined || variable === null || path === 'name' ? [] : [{ path, value, name: variable }]
  })
  const { plan, faults } = overridePlanByText(base, overrides)
  return { plan, faults: [...ofFile, ...faults] }
}

/** The plan that the variables change: a named one, or that of a file. The settings refuse every other text. */
function basePlanOf(source: string): { base: Plan; faults: string[] } {
  const base = NAMED_PLANS[PLAN_NAMES.find(known => known === source) ?? 'measured']
  if (!isPlanFile(source)) return { base, faults: [] }
  const { changes, faults } = readPlanFile(source, `STOWAGE_PLAN=${source}`)
  return changes === null ? { base, faults } : { base: changePlan(base, changes), faults: [] }
}

function describeFault(issue: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string {
  const name = String(issue.path[0] ?? '')
  const isSecret = Object.entries(settingsSchema.shape).some(([key, schema]) => key === name && schema.meta()?.secret)
  return `${name}=${isSecret ? '(not shown)' : redactUrls(shortened(given[name] ?? '', LONGEST_SHOWN))}: ${issue.message}`
}

const LONGEST_SHOWN = 120

/** Faults of several variables together. They are found beside the faults of single ones. */
function crossFaults(given: Readonly<Record<string, string>>, { rerank }: Plan): string[] {
  const faults: string[] = []
  // Endpoints on machines of one's own often have no keys.
  if (given.EMBEDDER === 'openai' && !given.OPENAI_API_KEY && !given.OPENAI_BASE_URL)
    faults.push('OPENAI_API_KEY: must be set when EMBEDDER=openai, or OPENAI_BASE_URL, when the endpoint has no keys')
  if (given.EMBEDDER === 'voyage' || given.EMBEDDER === 'cohere') {
    if (!given.EMBEDDING_API_KEY) faults.push(`EMBEDDING_API_KEY: must be set when EMBEDDER=${given.EMBEDDER}`)
    for (const prefix of ['EMBEDDING_QUERY_PREFIX', 'EMBEDDING_PASSAGE_PREFIX'])
      if (given[prefix])
        faults.push(`${prefix}: must not be set when EMBEDDER=${given.EMBEDDER}, which has input types`)
  }
  if (rerank.method === 'http' && !given.RERANK_URL) faults.push('RERANK_URL: must be set when RERANKER=http')
  return faults
}
