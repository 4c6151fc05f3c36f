import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runOn } from './checks.ts'

/**
 * Runs a few checks of the built and the unbuilt program on each supported major version of Node that is not the one of this
 * process. The binaries come from npm (`node-<platform>-<arch>`, which the package `node` wraps and which need no install
 * script). A version that npm cannot give is skipped, and the line says why; a check that fails ends the process with 1.
 */
const SUPPORTED = [20, 22, 24]
const OWN = Number(process.versions.node.split('.')[0])
const PLATFORM = process.platform === 'win32' ? 'win' : process.platform

const folder = await mkdtemp(join(tmpdir(), 'stowage-node-'))
const seen: string[] = [`${process.versions.node} (this machine's)`]
try {
  for (const major of SUPPORTED.filter(major => major !== OWN)) {
    const binary = await install(major).catch((error: unknown) =>
      error instanceof Error ? error : Error(String(error)),
    )
    if (binary instanceof Error) {
      console.log(`Node ${major}: SKIPPED, npm could not install it: ${reasonOf(binary.message)}`)
      seen.push(`${major} skipped`)
      continue
    }
    const started = performance.now()
    const { version, passed } = await runOn(binary).catch((error: unknown) => {
      throw new Error(`Node ${major}: FAILED`, { cause: error })
    })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`Node ${version}: passed in ${seconds} s: ${passed.join('; ')}`)
    seen.push(version)
  }
  console.log(`Node versions seen: ${seen.join(', ')}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** The path of the binary. Rejects when npm does not have it for this platform, or cannot be asked. */
async function install(major: number): Promise<string> {
  const name = `node-${PLATFORM}-${process.arch}`
  const prefix = join(folder, String(major))
  const flags = [
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    '--fetch-retries=1',
    '--loglevel=error',
  ]
  await promisify(execFile)('npm', ['install', `${name}@${major}`, '--prefix', prefix, ...flags], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    shell: process.platform === 'win32',
  })
  const binary = join(prefix, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) throw new Error(`${name}@${major} holds no ${binary}`)
  return binary
}

/** The line of npm's output that names the fault. */
function reasonOf(message: string): string {
  const lines = message.trim().split('\n')
  return lines.find(line => line.startsWith('npm error')) ?? lines.at(-1) ?? ''
}
