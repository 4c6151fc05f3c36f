import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const STOWAGE = fileURLToPath(new URL('../../src/stowage.js', import.meta.url))

/** A command as a shell would run it, with nothing of this process's environment but the path to programs. */
export function start(line: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  const fixed = { PATH: process.env.PATH, EMBEDDER: 'none', RERANKER: 'off', LOG_LEVEL: 'error' }
  return spawn(process.execPath, [STOWAGE, ...line], { env: { ...fixed, ...environment } })
}

/** Runs a command to its end. */
export async function run(line: readonly string[], environment: Record<string, string> = {}) {
  const child = start(line, environment)
  const written = { out: '', err: '' }
  child.stdout?.on('data', text => {
    written.out += text
  })
  child.stderr?.on('data', text => {
    written.err += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...written }
}

/** `stowage serve` on a free port, once it listens. */
export async function startServing(environment: Record<string, string>) {
  const child = start(['serve', '--port', '0'], environment)
  const ended = once(child, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    let out = ''
    child.stdout?.on('data', text => {
      out += text
      const found = /listens on (http:\S+)/.exec(out)?.[1]
      if (found) resolve(found)
    })
    ended.then(() => reject(new Error(`serve ended before it listened: ${out}`)))
  })
  return {
    url,
    /** Sends the signal and gives the exit code, null when the signal itself ended the process. */
    async stop(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal)
      const [code] = (await ended) as [number | null]
      return code
    },
  }
}
