import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file of tenants in a folder of its own, which is replaced as an operator would: by another file of the same name. */
export async function openTenantsFile(content: object | string) {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-tenants-'))
  const path = join(folder, 'tenants.json')
  const replace = async (next: object | string) => {
    const text = typeof next === 'string' ? next : JSON.stringify(next)
    await writeFile(`${path}.next`, text)
    await rename(`${path}.next`, path)
  }
  await replace(content)
  return { path, replace, remove: () => rm(folder, { recursive: true }) }
}
