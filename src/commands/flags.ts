import Table from 'cli-table3'
import { type Command, InvalidArgumentError } from 'commander'
import { badRequest, StowageError } from '../core/errors.ts'
import { flagsFile, type NewExperiment, unleashImport } from '../flags/export.ts'
import type { ListedFlag } from '../flags/list.ts'
import type { Plan } from '../pipeline/plan/plan.ts'

/** Flags and faults of the configured sources. */
interface OpenedFlags {
  /** Names of the tenants; null alone without tenants. */
  tenants: readonly (string | null)[]
  list(tenant: string | null): ListedFlag[]
  faults: readonly string[]
  close(): Promise<void>
}

export interface FlagsCommandDependencies {
  out: NodeJS.WritableStream
  open(): Promise<OpenedFlags>
  /** The plan of the configuration. */
  plan(): Plan
  /** What is wrong with the plan of an experiment, one sentence each. */
  faultsOfPlan(plan: string): Promise<readonly string[]>
}

const EXAMPLES = `
Examples:
  $ stowage flags
  $ stowage flags --tenant acme --json
  $ stowage flags export > unleash.json
  $ stowage flags export --file > flags.json
  $ stowage flags export --experiment blend --share 10 --plan '{"RERANK_BLEND": 0.5}' > unleash.json

The exit code is 1 when a flag, the flags file or a plan file has a fault.`

/** Adds `stowage flags` and `stowage flags export`. */
export function addFlagsCommand(program: Command, dependencies: FlagsCommandDependencies): void {
  const flags = program
    .command('flags')
    .description('list every flag, its value for each tenant, and where the value comes from')
    .option('--tenant <name>', 'this tenant only')
    .option('--json', 'print {"flags": […], "faults": […]}')
    .addHelpText('after', EXAMPLES)
    .action((options: { tenant?: string; json?: boolean }) => list(options, dependencies))
  flags
    .command('export')
    .description('print all switches as the plan has them, as a file that Unleash imports')
    .option('--file', 'print a file for FLAGS_FILE instead')
    .option('--experiment <name>', 'add an experiment by session', experimentName)
    .option('--share <percent>', 'per cent of the sessions that get the treatment (default: 10)', percent)
    .option('--plan <json or name>', 'plan values of the treatment as JSON, or the name of a plan')
    .action((options: ExportOptions) => exportFlags(options, dependencies))
}

async function list(
  { tenant, json }: { tenant?: string; json?: boolean },
  { open, out }: FlagsCommandDependencies,
): Promise<void> {
  const opened = await open()
  try {
    const { tenants, faults } = opened
    if (tenant !== undefined && !tenants.includes(tenant)) throw badRequest(`no tenant is called ${tenant}`)
    const listed = (tenant === undefined ? tenants : [tenant]).flatMap(name => opened.list(name))
    out.write(json ? `${JSON.stringify({ flags: listed, faults })}\n` : tableOf(listed, faults))
    if (faults.length > 0)
      throw new StowageError('unprocessable', `flags have ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`)
  } finally {
    await opened.close()
  }
}

/** One row per flag and value. Tenants with the same value share a row. */
function tableOf(listed: readonly ListedFlag[], faults: readonly string[]): string {
  const rows = new Map<string, { cells: [string, string, string]; tenants: string[] }>()
  for (const one of listed) {
    const cells: [string, string, string] = [one.flag, valueText(one), one.source.replace('_', ' ')]
    const key = JSON.stringify(cells)
    const row = rows.get(key) ?? { cells, tenants: [] }
    rows.set(key, { cells, tenants: [...row.tenants, one.tenant ?? 'everybody'] })
  }
  const order = [...new Set(listed.map(({ flag }) => flag))]
  const table = new Table({ head: ['flag', 'value', 'source', 'for'], style: { head: [], border: [] }, wordWrap: true })
  for (const flag of order)
    for (const { cells, tenants } of rows.values()) if (cells[0] === flag) table.push([...cells, tenants.join(', ')])
  return `${table}\n${faults.map(fault => `✗ ${fault}\n`).join('')}`
}

function valueText({ on, variants }: ListedFlag): string {
  const value = on === 1 ? 'on' : on === 0 ? 'off' : `on for about ${percentOf(on)}`
  const shares = Object.entries(variants).map(([name, share]) =>
    share === 1 ? name : `${name} ${share < 1 ? 'about ' : ''}${percentOf(share)}`,
  )
  return shares.length === 0 ? value : `${value}: ${shares.join(', ')}`
}

function percentOf(share: number): string {
  return `${Math.round(share * 100)} %`
}

interface ExportOptions {
  file?: boolean
  experiment?: string
  share?: number
  plan?: string
}

async function exportFlags(options: ExportOptions, dependencies: FlagsCommandDependencies): Promise<void> {
  const experiment = await experimentOf(options, dependencies)
  const print = options.file ? flagsFile : unleashImport
  dependencies.out.write(`${JSON.stringify(print(dependencies.plan(), experiment), null, 2)}\n`)
}

async function experimentOf(
  { experiment: name, share, plan }: ExportOptions,
  { faultsOfPlan }: FlagsCommandDependencies,
): Promise<NewExperiment | null> {
  if (name === undefined) {
    if (plan === undefined && share === undefined) return null
    throw badRequest('--plan and --share belong to an experiment: name it with --experiment')
  }
  if (plan === undefined) throw badRequest('--plan is needed: the plan values of the treatment, or the name of a plan')
  const faults = await faultsOfPlan(plan)
  if (faults.length > 0) throw badRequest(faults.join('; '))
  return { name, share: share ?? 10, plan }
}

function experimentName(name: string): string {
  if (/^[\w.~-]{1,80}$/u.test(name)) return name
  throw new InvalidArgumentError('A name has up to 80 letters, digits, dots, dashes, tildes and underscores.')
}

function percent(text: string): number {
  const share = /^\d+(?:\.\d)?$/u.test(text) ? Number(text) : Number.NaN
  if (share >= 0.1 && share <= 99.9) return share
  throw new InvalidArgumentError('It must be a number from 0.1 to 99.9 with at most one decimal.')
}
