import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A page that people read, by its path from the root of the repository. */
export interface Page {
  path: string
  file: string
  text: string
}

/** README and its companions in the root, and the pages right under `docs/`. Decisions are history and are left out. */
export function readPages(): Page[] {
  const root = readdirSync(ROOT).filter(name => name.endsWith('.md') && name !== 'CHANGELOG.md')
  const docs = readdirSync(`${ROOT}docs`).filter(name => name.endsWith('.md'))
  return [...root, ...docs.map(name => `docs/${name}`)].map(path => ({
    path,
    file: `${ROOT}${path}`,
    text: readFileSync(`${ROOT}${path}`, 'utf8'),
  }))
}
