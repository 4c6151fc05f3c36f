import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { getOrInsert } from '../core/collections.ts'

/** Script and styles of a page. */
export interface PageFiles {
  script: string
  styles: string
}

/** A page as it is put into a document, with the licence texts of the software in it. */
export interface BuiltPage extends PageFiles {
  licences: { name: string; text: string }[]
}

const BUNDLER = new URL('./bundle-page.ts', import.meta.url)
const pages = new Map<string, Promise<BuiltPage>>()

/**
 * A page: a package has it built, as `page.json` beside its folder; a clone builds it from its sources now (docs/decisions/0001 says
 * the same of the whole program).
 * @param folder for example `…/html/page`
 * @throws Error when there are neither sources nor a built page, or esbuild is not installed
 */
export function readPage(folder: URL): Promise<BuiltPage> {
  return getOrInsert(pages, folder.href, () => builtPage(folder))
}

async function builtPage(folder: URL): Promise<BuiltPage> {
  const built = new URL(`${folder.href}.json`)
  if (existsSync(built)) return JSON.parse(await readFile(built, 'utf8'))
  const { bundlePage }: { bundlePage(folder: string): Promise<BuiltPage> } = await import(BUNDLER.href)
  return bundlePage(fileURLToPath(folder))
}

/** The source of an inline script or style in a Content-Security-Policy. */
export function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** A text inside of an HTML element or of an attribute in quotation marks. */
export function escapedHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/gu, sign => entities[sign] ?? '')
}
