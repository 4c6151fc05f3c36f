import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundlePage } from '../src/web/bundle-page.ts'

/** Puts the pages into the build. A package has no bundler, so it takes them as they are (docs/decisions/0043). */
const PAGES = ['evaluation/report/html/page', 'ui/page']

for (const page of PAGES) {
  const folder = fileURLToPath(new URL(`../src/${page}`, import.meta.url))
  const built = fileURLToPath(new URL(`../dist/${page}.json`, import.meta.url))
  await writeFile(built, JSON.stringify(await bundlePage(folder)))
}
