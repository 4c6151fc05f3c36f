import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BuiltPage } from './page-files.ts'

const PAGE = fileURLToPath(new URL('./page', import.meta.url))
/** Browsers of 2024: they have `light-dark()` and DecompressionStream for deflate without a header. */
const TARGET = ['chrome123', 'firefox120', 'safari17.5']

/** Bundles the page from its sources. Needs the development dependencies. */
export async function bundlePage(): Promise<BuiltPage> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(PAGE, 'main.tsx')],
    tsconfig: join(PAGE, 'tsconfig.json'),
    outdir: PAGE,
    absWorkingDir: PAGE,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: TARGET,
    legalComments: 'none',
    logLevel: 'silent',
  })
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { script: textOf('.js'), styles: textOf('.css'), licences: await licencesOf(Object.keys(metafile.inputs)) }
}

/** The licence of each package that has a file in the bundle. */
async function licencesOf(inputs: readonly string[]): Promise<BuiltPage['licences']> {
  const folders = new Set(inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0] ?? []))
  return Promise.all(
    [...folders].sort().map(async folder => {
      const { name, version } = JSON.parse(await readFile(join(PAGE, folder, 'package.json'), 'utf8'))
      return { name: `${name} ${version}`, text: await readFile(join(PAGE, folder, 'LICENSE'), 'utf8') }
    }),
  )
}
