import { readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import Table from 'cli-table3'
import type { Command } from 'commander'
import { badRequest, StowageError } from '../core/errors.ts'
import { fieldOf, type Surroundings } from '../tenants/file/build.ts'
import { addKey, addTenant, fileWith, type NewKey } from '../tenants/file/edit.ts'
import { formatOf } from '../tenants/file/parse.ts'
import { readTenantsFile } from '../tenants/file/read.ts'
import { TENANT_NAME, type TenantDeclaration } from '../tenants/file/schema.ts'
import { keyHash, newKey } from '../tenants/keys.ts'
import type { KnownKeys } from '../tenants/tenant.ts'
import { counted } from '../text/printable.ts'
import { nameOption, pathOption } from './option-values.ts'

interface TenantsCommandDependencies {
  out: NodeJS.WritableStream
  /** For people, beside the data on `out`. */
  progress: NodeJS.WritableStream
  /** The configuration that a file is checked against. */
  surroundings(): Surroundings
  now(): Date
}

const EXAMPLES = `
Examples:
  $ stowage tenants new acme --collection docs > tenants.yaml
  $ stowage tenants new beta --collection docs "beta-*" --file tenants.yaml
  $ stowage tenants check tenants.yaml
  $ stowage tenants rotate acme --file tenants.yaml
  $ stowage tenants schema > tenants.schema.json`

/** Adds `stowage tenants check|new|rotate|schema`: all that is done with the file of tenants by hand. */
export function addTenantsCommand(program: Command, dependencies: TenantsCommandDependencies): void {
  const { out } = dependencies
  const tenants = program
    .command('tenants')
    .description('check the file of tenants (TENANTS_FILE), and make keys')
    .addHelpText('after', EXAMPLES)
  tenants
    .command('check')
    .description('list every fault of a file, or what each tenant reaches')
    .argument('[file]', 'YAML, or JSON when the name ends with .json (default: TENANTS_FILE)')
    .option('--without-environment', 'do not look up the variables that upstream_key_env names')
    .action((file: string | undefined, flags: { withoutEnvironment?: boolean }) => check(file, flags, dependencies))
  tenants
    .command('new')
    .description('make a tenant with a key; the key is shown this once')
    .argument('<name>', 'name of the tenant', nameOption(TENANT_NAME))
    .option('--collection <pattern...>', 'collections that it reaches; * stands for any characters')
    .option('--file <file>', 'add the tenant to this file (default: print a file with it)', pathOption)
    .action((name: string, flags: { collection?: string[]; file?: string }) => makeTenant(name, flags, dependencies))
  tenants
    .command('rotate')
    .description('add a key to a tenant; the key is shown this once, and the others stay until you delete them')
    .argument('<name>', 'name of the tenant', nameOption(TENANT_NAME))
    .requiredOption('--file <file>', 'the file of tenants', pathOption)
    .action((name: string, flags: { file: string }) => rotate(name, flags.file, dependencies))
  tenants
    .command('schema')
    .description('print the JSON Schema of the file, for an editor')
    .action(async () => {
      const { tenantsJsonSchema } = await import('../http/openapi.ts')
      out.write(`${JSON.stringify(tenantsJsonSchema(), null, 2)}\n`)
    })
}

async function check(
  named: string | undefined,
  { withoutEnvironment }: { withoutEnvironment?: boolean },
  { out, surroundings }: TenantsCommandDependencies,
): Promise<void> {
  const known = surroundings()
  const file = named ?? known.environment?.TENANTS_FILE
  if (file === undefined) throw badRequest('name a file, or set TENANTS_FILE')
  await requireFile(file)
  const read = readTenantsFile(
    await readFile(file),
    formatOf(file),
    withoutEnvironment ? { ...known, environment: null } : known,
  )
  if (read.faults !== null) {
    out.write(read.faults.map(fault => `✗ ${fault}\n`).join(''))
    throw new StowageError('unprocessable', `${file}: ${counted(read.faults.length, 'fault')}`)
  }
  const rows = [...read.declared].map(([name, declared]) => summaryOf(name, declared))
  const table = new Table({
    head: ['tenant', 'keys', 'collections', 'points', 'writes', 'also', 'upstream key'],
    style: { head: [], border: [] },
  })
  table.push(...rows)
  const notes = [...notesOn(read.declared), ...notesOnKeys(read.directory)].map(note => `! ${note}\n`)
  out.write(`${table}\n${notes.join('')}✓ ${counted(rows.length, 'tenant')}\n`)
}

function summaryOf(name: string, declared: TenantDeclaration): string[] {
  const { keys, collections, whole_collections: whole, read_only: readOnly, allow, filter } = declared
  const field = fieldOf(declared)
  const conditions = [
    ...(field === null ? [] : [`${field} = ${declared.value ?? name}`]),
    ...(filter ? ['filter'] : []),
  ]
  const upstream = declared.upstream_key_env
    ? `$${declared.upstream_key_env}`
    : declared.upstream_key
      ? 'in the file'
      : 'none'
  return [
    name,
    String(keys.length),
    collections.join('\n'),
    whole ? 'all' : conditions.join(' and '),
    readOnly ? 'no' : 'yes',
    [...allow, ...(declared.plan ? ['its own plan'] : [])].join('\n'),
    upstream,
  ]
}

/** What is no fault, but may be a slip. */
function notesOn(declared: ReadonlyMap<string, TenantDeclaration>): string[] {
  const notes: string[] = []
  const firstWith = new Map<string, string>()
  for (const [name, tenant] of declared) {
    if (tenant.keys.length === 0) notes.push(`${name} has no key, so nobody can use it`)
    if (tenant.collections.length === 0) notes.push(`${name} reaches no collection`)
    if (tenant.upstream_key)
      notes.push(`the key for Qdrant of ${name} stands in the file; upstream_key_env keeps it out`)
    const field = fieldOf(tenant)
    if (field === null) continue
    const mark = JSON.stringify([field, tenant.value ?? name])
    const first = firstWith.get(mark)
    if (first === undefined) firstWith.set(mark, name)
    else
      notes.push(
        `${first} and ${name} have the same field and value, so they share the points of collections that both reach`,
      )
  }
  return notes
}

/** Keys of examples and of haste. Whoever tries keys begins with them. */
const GUESSED_FIRST = ['test', 'test1', 'test2', 'secret', 'password', 'changeme', 'admin', 'operator', 'key', '1234']

function notesOnKeys({ find, isOperator }: KnownKeys): string[] {
  return GUESSED_FIRST.flatMap(key => {
    const owner = isOperator(key) ? 'an operator' : find(key)?.name
    return owner === undefined ? [] : [`a key of ${owner} is "${key}", which everybody tries first: make a random one`]
  })
}

async function makeTenant(
  name: string,
  { collection: collections = [], file }: { collection?: string[]; file?: string },
  dependencies: TenantsCommandDependencies,
): Promise<void> {
  const { out, progress } = dependencies
  const { key, entry } = makeKey(dependencies)
  if (collections.length === 0) progress.write('name the collections of the tenant in the file, else it reaches none\n')
  const tenant = { keys: [entry], collections }
  if (file === undefined) {
    const text = fileWith(name, tenant)
    requireRight(text, 'tenants.yaml', dependencies)
    progress.write(`key of ${name}, shown this once: ${key}\n`)
    out.write(text)
    return
  }
  await edit(file, dependencies, (text, declared) => {
    if (declared.has(name))
      throw new StowageError(
        'unprocessable',
        `${file} has a tenant ${name}; \`stowage tenants rotate\` adds a key to it`,
      )
    return addTenant(text, formatOf(file), name, tenant)
  })
  progress.write(`${file}: ${name} was added. Its key is shown this once:\n`)
  out.write(`${key}\n`)
}

async function rotate(name: string, file: string, dependencies: TenantsCommandDependencies): Promise<void> {
  const { key, entry } = makeKey(dependencies)
  await edit(file, dependencies, (text, declared) => {
    if (!declared.has(name)) throw new StowageError('unprocessable', `${file} has no tenant ${name}`)
    return addKey(text, formatOf(file), name, entry)
  })
  const next =
    'Give it to the clients of the tenant, then delete the keys above it from the file. It is shown this once:'
  dependencies.progress.write(`${file}: ${name} has a new key. ${next}\n`)
  dependencies.out.write(`${key}\n`)
}

function makeKey({ now }: TenantsCommandDependencies): { key: string; entry: NewKey } {
  const key = newKey()
  return { key, entry: { sha256: keyHash(key), note: now().toISOString().slice(0, 10) } }
}

/** @throws StowageError `bad_request` when there is no such file */
async function requireFile(file: string): Promise<void> {
  const facts = await stat(file).catch(() => null)
  // A pipe is read like a file.
  if (facts === null || facts.isDirectory())
    throw badRequest(`${file}: ${facts ? 'is a folder' : 'there is no such file'}`)
}

/** Changes a file that is right before and after. It is replaced as a whole, so that no reader sees a part of it. */
async function edit(
  file: string,
  dependencies: TenantsCommandDependencies,
  change: (text: string, declared: ReadonlyMap<string, TenantDeclaration>) => string,
): Promise<void> {
  await requireFile(file)
  const path = await realpath(file)
  const text = await readFile(path, 'utf8')
  const changed = change(text, requireRight(text, file, dependencies))
  requireRight(changed, file, dependencies)
  const next = `${path}.${process.pid}.next`
  await writeFile(next, changed, { mode: (await stat(path)).mode })
  await rename(next, path)
}

/** @throws StowageError with every fault */
function requireRight(
  text: string,
  file: string,
  { surroundings }: TenantsCommandDependencies,
): ReadonlyMap<string, TenantDeclaration> {
  const read = readTenantsFile(Buffer.from(text), formatOf(file), { ...surroundings(), environment: null })
  if (read.faults === null) return read.declared
  throw new StowageError('unprocessable', `${file}:\n${read.faults.map(fault => `  ${fault}`).join('\n')}`)
}
