import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { PageFiles } from './document.ts'

/** The page as the report takes it, with the licence texts of the software in it. */
export interface BuiltPage extends PageFiles {
  licences: { name: string; text: string }[]
}

const BUILT = new URL('./page.json', import.meta.url)
const BUNDLER = new URL('./bundle-page.ts', import.meta.url)

/**
 * The page: a package has it built, a clone builds it from its sources now (docs/decisions/0001 says the same of the whole program).
 * @throws Error when there are neither sources nor a built page
 */
export function readPage(): Promise<BuiltPage> {
  page ??= builtPage()
  return page
}

let page: Promise<BuiltPage> | null = null

async function builtPage(): Promise<BuiltPage> {
  if (existsSync(fileURLToPath(BUILT))) return JSON.parse(await readFile(BUILT, 'utf8'))
  const { bundlePage }: { bundlePage(): Promise<BuiltPage> } = await import(BUNDLER.href)
  return bundlePage()
}
