import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { addTenantsCommand } from '../../src/commands/tenants.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { readTenantsFile } from '../../src/tenants/file/read.ts'
import { keyHash } from '../../src/tenants/keys.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('stowage-tenants')
})

const SURROUNDINGS = { plan: NAMED_PLANS.measured, environment: {} }
const run = (...line: string[]) => runWith({}, ...line)
const runWith = (environment: Record<string, string>, ...line: string[]) =>
  runCommand(
    (program, streams) =>
      addTenantsCommand(program, {
        ...streams,
        surroundings: () => ({ ...SURROUNDINGS, environment }),
        now: () => new Date('2026-11-22'),
      }),
    'tenants',
    ...line,
  )

async function fileOf(text: string, name = 'tenants.yaml'): Promise<string> {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

/** Tenants of a file that has to be right. */
async function tenantsIn(path: string) {
  const read = readTenantsFile(await readFile(path), path.endsWith('.json') ? 'json' : 'yaml', SURROUNDINGS)
  if (read.faults) throw new Error(read.faults.join('\n'))
  return read
}

const COMMENTED = `# the operators
operators: [{ sha256: "${keyHash('o')}", note: scrape }] # Prometheus

tenants:
  # our first customer
  acme:
    keys:
      - { sha256: "${keyHash('old')}", note: "2026-01" } # to be rotated
    collections: [docs, "acme-*"] # shared and own
    filter: { must: [{ has_id: [18446744073709551615, 1] }] }
    plan: { PACKING_MODE: sentence } # short facts
# the end
`

describe('a file that is not there', () => {
  it.each([['check'], ['rotate', 'acme', '--file']])('is wrong use of %s', async (...line) => {
    const missing = await run(...line, join(folder, 'none.yaml'))
    expect(missing.error).toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/there is no such file$/u),
    })
    const aFolder = await run(...line, folder)
    expect(aFolder.error).toMatchObject({ code: 'bad_request', message: expect.stringMatching(/is a folder$/u) })
  })
})

describe('new', () => {
  it('prints a file with the hash, and the key beside it', async () => {
    const { out, shown, error } = await run('new', 'acme', '--collection', 'docs', 'acme-*')
    expect(error).toBeNull()
    const key = /shown this once: ([\w-]{43})\n$/.exec(shown)?.[1] ?? ''
    expect(out).not.toContain(key)
    const { directory } = await tenantsIn(await fileOf(out))
    const tenant = directory.find(key)
    expect([tenant?.name, tenant?.reaches('acme-1'), tenant?.reaches('other')]).toEqual(['acme', true, false])
    expect(out).toContain('note: 2026-11-22')
  })

  it.each([
    ['tenants.yaml', COMMENTED],
    ['tenants.yaml', 'tenants: {}\n'],
    [
      'tenants.json',
      '{"tenants":{"acme":{"keys":[],"collections":["docs"],"filter":{"must":[{"has_id":[18446744073709551615]}]}}}}',
    ],
    ['tenants.json', '{"tenants":{}}'],
  ])('adds the tenant to %s, and loses nothing of it: %s', async (name, text) => {
    const path = await fileOf(text, name)
    const before = await tenantsIn(path)
    const { out: key, error } = await run('new', 'beta', '--collection', 'beta-*', '--file', path)
    expect(error).toBeNull()
    const after = await tenantsIn(path)
    expect(after.directory.find(key.trim())?.reaches('beta-1')).toBe(true)
    for (const [tenant, declared] of before.declared) expect(after.declared.get(tenant)).toEqual(declared)
    expect([...after.declared.keys()]).toEqual([...before.declared.keys(), 'beta'])
    const written = await readFile(path, 'utf8')
    for (const comment of text.match(/# .*/g) ?? []) expect(written).toContain(comment)
    expect(written).toContain(text.includes('18446744073709551615') ? '18446744073709551615' : '')
    expect(written).not.toContain(key.trim())
    expect(await readdir(folder)).toEqual([name])
  })

  it('keeps the mode of the file and the link to it', async () => {
    const path = await fileOf('tenants: {}\n', 'real.yaml')
    await rm(path)
    await writeFile(path, 'tenants: {}\n', { mode: 0o600 })
    await symlink(path, join(folder, 'link.yaml'))
    await run('new', 'a', '--file', join(folder, 'link.yaml'))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).toContain('a:')
  })

  it.each([
    ['a name that is taken', COMMENTED, 'acme', /has a tenant acme/],
    ['a file with faults', 'tenants: { a: 5 }', 'b', /tenants\.a=5: must be a mapping/],
    [
      'collections that belong to another',
      'tenants: { a: { keys: [], collections: ["*"], whole_collections: true } }',
      'b',
      /reaches the same collections/,
    ],
  ])('refuses %s and leaves the file as it is', async (_name, text, name, message) => {
    const path = await fileOf(text)
    const { out, error } = await run('new', name, '--collection', 'docs', '--file', path)
    expect(String(error)).toMatch(message)
    expect([out, await readFile(path, 'utf8')]).toEqual(['', text])
  })

  it.each(['a b', '', '../x', '__proto__', 'é', 'a'.repeat(65)])('refuses the name %j', async name => {
    expect((await run('new', name)).error).toMatchObject({ code: 'commander.invalidArgument' })
  })
})

describe('rotate', () => {
  it('adds a key, and both work until the old one is deleted', async () => {
    const path = await fileOf(COMMENTED)
    const { out: key } = await run('rotate', 'acme', '--file', path)
    const { directory } = await tenantsIn(path)
    for (const one of ['old', key.trim()]) expect(directory.find(one)?.name).toBe('acme')
    const written = await readFile(path, 'utf8')
    for (const comment of COMMENTED.match(/# .*/g) ?? []) expect(written).toContain(comment)
  })

  it('names a tenant that is not there', async () => {
    const path = await fileOf(COMMENTED)
    expect(String((await run('rotate', 'nobody', '--file', path)).error)).toMatch(/has no tenant nobody/)
  })
})

describe('check', () => {
  it('shows what each tenant reaches, and what may be a slip', async () => {
    const path = await fileOf(`tenants:
  acme: { keys: [{ sha256: "${keyHash('a')}" }], collections: [docs, "acme-*"], filter: { must: [1] }, allow: [get_collection] }
  reader: { keys: [], collections: [docs], value: acme, read_only: true, upstream_key: hunter2 }
  owner: { keys: [], collections: ["own-*"], whole_collections: true, upstream_key_env: OWNER_KEY }
`)
    const { out, error } = await run('check', path, '--without-environment')
    expect(error).toBeNull()
    for (const shown of [
      'tenant = acme and filter',
      'acme-*',
      'get_collection',
      '$OWNER_KEY',
      'in the file',
      '3 tenants',
    ])
      expect(out).toContain(shown)
    for (const note of [
      'reader has no key',
      'acme and reader have the same field and value',
      'of reader stands in the file',
    ])
      expect(out).toContain(note)
    expect(out).not.toContain('hunter2')
  })

  it('names the keys that everybody tries first', async () => {
    const entry = (key: string) => `{ sha256: "${keyHash(key).toUpperCase()}" }`
    const path = await fileOf(
      `operators: [${entry('test')}]\ntenants: { a: { keys: [${entry('changeme')}], collections: [docs] }, b: { keys: [${entry('r4nd0m')}], collections: [docs] } }`,
    )
    const { out, error } = await run('check', path)
    expect(error).toBeNull()
    expect(out).toContain('a key of an operator is "test"')
    expect(out).toContain('a key of a is "changeme"')
    expect(out).not.toContain('a key of b')
  })

  it('lists every fault and fails', async () => {
    const path = await fileOf('tenants: { a: 5, b: { keys: [], collections: [docs], upstream_key_env: NO_SUCH } }')
    const { out, error } = await run('check', path)
    expect(out.split('\n')).toEqual([
      '✗ tenants.a=5: must be a mapping',
      '✗ tenants.b.upstream_key_env: the variable NO_SUCH is not set',
      '',
    ])
    expect(error).toMatchObject({ code: 'unprocessable', message: `${path}: 2 faults` })
  })
})

it('schema prints what the route publishes', async () => {
  const { out } = await run('schema')
  expect(JSON.parse(out)).toMatchObject({ $schema: expect.stringContaining('2020-12'), required: ['tenants'] })
  expect(JSON.parse(out).properties.tenants.additionalProperties.required).toEqual(['keys', 'collections'])
})

describe('check without a file', () => {
  it('checks TENANTS_FILE', async () => {
    const path = await fileOf('tenants: { acme: 5 }\n')
    const { out, error } = await runWith({ TENANTS_FILE: path }, 'check')
    expect(out).toMatch(/^✗ tenants\.acme=5: must be a mapping/)
    expect(String(error)).toContain(`${path}: 1 fault`)
    expect((await runWith({ TENANTS_FILE: path }, 'check', await fileOf(COMMENTED, 'other.yaml'))).error).toBeNull()
  })

  it('asks for one when TENANTS_FILE is not set', async () => {
    expect(String((await run('check')).error)).toContain('name a file, or set TENANTS_FILE')
  })
})
