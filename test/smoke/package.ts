import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createCommands } from '../support/stowage-process.ts'
import { checkDemo, checkService } from './checks.ts'

/**
 * Packs the package as `npm publish` would, installs the tarball in empty folders, once with and once without install
 * scripts, and uses it as its readers would: `npx stowage demo` and `serve`, and `import 'stowage'` and its client. It needs the package
 * registry and nothing else. It prints the sizes that the guide states. The first failure ends the process with 1.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
const MEGABYTE = 1024 * 1024
/** Uses the client as the reader would, from a stowage that is not there. */
const CLIENT = `
import { createClient, questionHeaders, StowageClientError, withQuestion } from 'stowage/client'
console.log(withQuestion('Who?', questionHeaders))
const answer = await createClient({ url: 'http://127.0.0.1:1' }).context({ query: 'Who?', collection: 'c' }).catch(error => error)
console.log(answer instanceof StowageClientError ? answer.code : answer.tokens)
`

const execute = promisify(execFile)
const npm = (cwd: string, ...line: string[]) =>
  execute('npm', line, { cwd, shell: process.platform === 'win32', maxBuffer: 64 * MEGABYTE })

const folder = await mkdtemp(join(tmpdir(), 'stowage-package-'))
try {
  await npm(ROOT, 'pack', '--pack-destination', folder, '--loglevel=error')
  const tarball = join(folder, (await readdir(folder))[0] ?? '')
  console.log(`Tarball: ${megabytes((await stat(tarball)).size)}`)
  assert.ok(!existsSync(join(ROOT, 'node_modules/.transformers-as-installed')), 'npm pack left node_modules changed')

  for (const scripts of ['with', 'without']) {
    const project = join(folder, scripts)
    await mkdir(project)
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'reader', private: true, type: 'module' }))
    const started = performance.now()
    await npm(project, ...INSTALL, ...(scripts === 'without' ? ['--ignore-scripts'] : []), tarball)
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    const { packages, bytes, scripted } = await installed(join(project, 'node_modules'))
    console.log(
      `Installed ${scripts} install scripts: ${packages.length} packages, ${megabytes(bytes)}, in ${seconds} s`,
    )
    assert.deepEqual(scripted, [], 'these packages run a script when they are installed')
    assert.ok(!packages.some(name => ['tsx', 'onnxruntime-web'].includes(name)))

    const npx = createCommands({ node: 'npx', script: 'stowage', cwd: project })
    await checkDemo(npx.run)
    await checkService(npx, join(folder, `data-${scripts}`))
    console.log(`npx stowage demo and serve: passed`)
  }
  await checkImport(join(folder, 'with'))
  console.log("import 'stowage' and 'stowage/client': passed, with their types")
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** All packages under a node_modules folder, nested ones too, and those among them that have an install script. */
async function installed(modules: string) {
  const files = await readdir(modules, { recursive: true, withFileTypes: true })
  let bytes = 0
  const packages: string[] = []
  const scripted: string[] = []
  for (const file of files.filter(entry => entry.isFile())) {
    const path = join(file.parentPath, file.name)
    bytes += (await stat(path)).size
    const name = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]package\.json$/u.exec(path)?.[1]
    if (name === undefined) continue
    packages.push(name)
    const { scripts = {} } = JSON.parse(await readFile(path, 'utf8'))
    if (scripts.preinstall ?? scripts.install ?? scripts.postinstall) scripted.push(name)
  }
  return { packages, bytes, scripted }
}

/** Runs the example of docs/library.md and the client, and checks their types as a project of the reader would. */
async function checkImport(project: string): Promise<void> {
  const page = await readFile(join(ROOT, 'docs/library.md'), 'utf8')
  const example = /```ts\n([\s\S]*?)```/u.exec(page)?.[1]
  assert.ok(example, 'docs/library.md has an example')
  await writeFile(join(project, 'example.ts'), example)
  await writeFile(join(project, 'client.ts'), CLIENT)
  await mkdir(join(project, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) {
    const at = join(project, 'node_modules', name)
    if (!existsSync(at)) await symlink(join(ROOT, 'node_modules', name), at)
  }
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['--module', 'nodenext', '--strict', '--target', 'es2022', '--types', 'node', '--outDir', 'built']
  await execute(process.execPath, [compiler, ...options, 'example.ts', 'client.ts'], { cwd: project })
  await cp(join(project, 'built/example.js'), join(project, 'example.js'))
  const { stdout } = await execute(process.execPath, ['example.js'], {
    cwd: project,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', EMBEDDER: 'none', RERANKER: 'off' },
  })
  assert.match(stdout, /thinking engine/u)
  await cp(join(project, 'built/client.js'), join(project, 'client.js'))
  const client = await execute(process.execPath, ['client.js'], { cwd: project })
  assert.match(client.stdout, /'x-stowage-query': 'Who%3F'[\s\S]*no_answer/u)
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(0)} MB`
}
