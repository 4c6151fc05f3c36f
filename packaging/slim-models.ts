import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `slim-models.ts put` replaces `@xenova/transformers` in node_modules by a subset that `npm pack` bundles into the tarball;
 * `slim-models.ts restore` brings the installed package back. docs/decisions/0021 says why.
 *
 * The files of the subset are those of the installed packages, byte for byte, with two exceptions: each package.json names
 * only what is there and has no install script, and `sharp` (images) is a function that throws.
 */
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url))
const INSTALLED = join(MODULES, '@xenova/transformers')
/** npm does not look at folders that begin with a dot. */
const ASIDE = join(MODULES, '.transformers-as-installed')

/** What a run on the CPU loads. The other files of onnxruntime-node are for DirectX and WebGPU, or copies. */
const RUNTIME_LIBRARIES = [
  'linux/x64/libonnxruntime.so.1',
  'linux/arm64/libonnxruntime.so.1',
  'darwin/arm64/libonnxruntime.1.dylib',
  'win32/x64/onnxruntime.dll',
  'win32/arm64/onnxruntime.dll',
]

const NOTE = 'A subset of the package of this name and version, made by stowage: no install script, CPU only.'

const SHARP_STUB = `module.exports = () => {
  throw new Error('The copy of transformers.js inside stowage cannot read images')
}
`

const [action] = process.argv.slice(2)
if (action !== 'put' && action !== 'restore') throw new Error('say put or restore')
await restore()
if (action === 'put') await put()

/** Does nothing when the installed package is in its place, so that an interrupted `npm pack` can simply be run again. */
async function restore(): Promise<void> {
  if (!existsSync(ASIDE)) return
  await rm(INSTALLED, { recursive: true, force: true })
  await rename(ASIDE, INSTALLED)
}

async function put(): Promise<void> {
  await rename(INSTALLED, ASIDE)
  const runtime = join(MODULES, 'onnxruntime-node')
  const { version } = JSON.parse(await readFile(join(runtime, 'package.json'), 'utf8'))
  await copyPackage(ASIDE, INSTALLED, ['dist/transformers.node.mjs', 'LICENSE'], {
    exports: './dist/transformers.node.mjs',
    dependencies: { 'onnxruntime-common': version, 'onnxruntime-node': version, sharp: '0.0.0-left-out' },
  })
  const nested = join(INSTALLED, 'node_modules')
  await copyPackage(
    join(MODULES, 'onnxruntime-common'),
    join(nested, 'onnxruntime-common'),
    ['dist/cjs', 'dist/esm'],
    {},
  )
  await copyPackage(runtime, join(nested, 'onnxruntime-node'), ['dist', ...RUNTIME_LIBRARIES.flatMap(withBinding)], {
    dependencies: { 'onnxruntime-common': version },
  })
  await mkdir(join(nested, 'sharp'))
  await writeJson(join(nested, 'sharp/package.json'), { name: 'sharp', version: '0.0.0-left-out', description: NOTE })
  await writeFile(join(nested, 'sharp/index.js'), SHARP_STUB)
}

function withBinding(library: string): string[] {
  const folder = `bin/napi-v6/${library.slice(0, library.lastIndexOf('/'))}`
  return [`bin/napi-v6/${library}`, `${folder}/onnxruntime_binding.node`]
}

/** Copies the paths, and the facts of package.json that do not name other files. */
async function copyPackage(from: string, to: string, paths: readonly string[], changes: object): Promise<void> {
  for (const path of paths) {
    await cp(join(from, path), join(to, path), {
      recursive: true,
      // Type declarations and source maps are for people who work on that package.
      filter: source => !/\.(?:d\.ts|map)$/u.test(source),
    })
  }
  const installed = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  const { name, version, license, author, homepage, repository, type, main, exports } = installed
  const kept = { name, version, description: NOTE, license, author, homepage, repository, type, main, exports }
  await writeJson(join(to, 'package.json'), { ...kept, ...changes })
}

async function writeJson(path: string, value: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`)
}
