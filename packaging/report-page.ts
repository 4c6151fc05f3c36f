import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundlePage } from '../src/evaluation/report/html/bundle-page.ts'

/** Puts the page of the HTML report into the build. A package has no bundler, so it takes the page as it is (docs/decisions/0043). */
const BUILT = fileURLToPath(new URL('../dist/evaluation/report/html/page.json', import.meta.url))

await writeFile(BUILT, JSON.stringify(await bundlePage()))
