import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { BuiltPage } from './page-files.ts'

/** Browsers of 2024: they have `light-dark()`, `Intl.Segmenter` and DecompressionStream for deflate without a header. */
const TARGET = ['chrome123', 'firefox125', 'safari17.5']

/** Bundles a page from its sources: a folder with `main.tsx` and `tsconfig.json`. Needs the development dependencies. */
export async function bundlePage(folder: string): Promise<BuiltPage> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, 'main.tsx')],
    tsconfig: join(folder, 'tsconfig.json'),
    outdir: folder,
    absWorkingDir: folder,
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
  return {
    script: textOf('.js'),
    styles: textOf('.css'),
    licences: await licencesOf(folder, Object.keys(metafile.inputs)),
  }
}

/** The licence of each package that has a file in the bundle. */
async function licencesOf(page: string, inputs: readonly string[]): Promise<BuiltPage['licences']> {
  const folders = new Set(inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0] ?? []))
  return Promise.all(
    [...folders].sort().map(async folder => {
      const { name, version } = JSON.parse(await readFile(join(page, folder, 'package.json'), 'utf8'))
      return { name: `${name} ${version}`, text: await readFile(join(page, folder, 'LICENSE'), 'utf8') }
    }),
  )
}
