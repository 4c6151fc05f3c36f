import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { COMPILED, ROOT } from './compiled.ts'

/** Every import stays an import: one file of JavaScript for each of TypeScript, as `npm run build` makes them. */
const fileByFile: Plugin = {
  name: 'file by file',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'entry-point' ? null : { path: path.replace(/\.ts$/u, '.js'), external: true },
    ),
}

/**
 * Compiles stowage once for all processes that the tests start. Each of them would load its TypeScript anew, in every thread, and
 * that takes three times as long as the rest of a command. Files that are up to date stay untouched, because another run of the tests may read them.
 */
export default async function compile(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}/src/**/*.ts`],
    outdir: fileURLToPath(COMPILED),
    outbase: `${ROOT}/src`,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    write: false,
    logLevel: 'error',
    plugins: [fileByFile],
  })
  for (const { path, text } of outputFiles) {
    if (existsSync(path) && (await readFile(path, 'utf8')) === text) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}
