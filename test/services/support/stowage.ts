import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { send } from '../../support/send.ts'
import { STOWAGE } from '../../support/stowage-process.ts'
import { type Ended, runToEnd, startProcess } from './process.ts'
import { until } from './wait.ts'

/** No models, and deadlines that no test meets by accident. */
const QUIET = {
  PATH: process.env.PATH ?? '',
  EMBEDDER: 'none',
  RERANKER: 'off',
  LOG_LEVEL: 'info',
  REQUEST_DEADLINE_MS: '60000',
  DROPIN_DEADLINE_MS: '60000',
  DROPIN_HEDGE_MS: '60000',
}

/** A `stowage serve` in a process of its own. */
export type StowageProcess = Awaited<ReturnType<typeof startStowage>>

/** Starts `stowage serve` on a free port, and resolves once it listens. */
export async function startStowage(environment: Readonly<Record<string, string>> = {}) {
  const running = await startProcess({
    program: process.execPath,
    line: [STOWAGE, 'serve'],
    environment: { ...QUIET, PORT: '0', ...environment },
  })
  let ended: Ended | null = null
  void running.ended.then(end => {
    ended = end
  })
  const url = await until('stowage listens', () => {
    if (ended) return 'ended'
    return /listens on (http:\/\/[\d.]+:\d+)/u.exec(running.output())?.[1]
  })
  if (url === 'ended') throw new Error(`stowage ended before it listened: ${running.output()}`)
  return {
    ...running,
    url,
    send: <Body = unknown>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send<Body>(url, method, path, body, headers),
  }
}

const ENGINE = fileURLToPath(new URL('../../soak/engine-process.ts', import.meta.url))

/** Starts an empty embedded engine in a process of its own, in the place of Qdrant: `QDRANT_URL` takes its `url`. */
export async function startEngine() {
  const environment = { PATH: process.env.PATH ?? '' }
  const running = await startProcess({ program: process.execPath, line: ['--import', 'tsx', ENGINE], environment })
  const url = await until('the engine listens', () => /listens on (\S+)/u.exec(running.output())?.[1])
  return { ...running, url }
}

/** Runs another command of stowage to its end, and resolves with its output. */
export function runStowage(line: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runToEnd({
    program: process.execPath,
    line: [STOWAGE, ...line],
    environment: { ...QUIET, LOG_LEVEL: 'error', ...environment },
  })
}

/** A folder for the files of a test. */
export async function openFolder(files: Readonly<Record<string, string>> = {}) {
  const path = await mkdtemp(join(tmpdir(), 'stowage-services-'))
  const write = (name: string, text: string) => writeFile(join(path, name), text)
  for (const [name, text] of Object.entries(files)) await write(name, text)
  return { path, write, at: (name: string) => join(path, name), remove: () => rm(path, { recursive: true }) }
}
