import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyHash } from '../../src/tenants/keys.ts'

/** A file of tenants in a folder of its own, which is replaced as an operator would: by another file of the same name. */
export async function openTenantsFile(content: object | string) {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-tenants-'))
  const path = join(folder, 'tenants.json')
  let replaced = 0
  const replace = async (next: object | string) => {
    const text = typeof next === 'string' ? next : JSON.stringify(next)
    // A name of its own, because two changes can come at the same time.
    const written = `${path}.${replaced++}`
    await writeFile(written, text)
    await rename(written, path)
  }
  await replace(content)
  return { path, replace, remove: () => rm(folder, { recursive: true }) }
}

/** The content of a file of tenants: each has its name as its key, and reaches every collection. */
export function declareTenants(tenants: Readonly<Record<string, object>>): object {
  const declared = Object.entries(tenants).map(([name, more]) => [
    name,
    { keys: [{ sha256: keyHash(name) }], collections: ['*'], ...more },
  ])
  return { tenants: Object.fromEntries(declared) }
}
