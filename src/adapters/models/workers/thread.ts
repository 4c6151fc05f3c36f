import { Worker } from 'node:worker_threads'
import type { ToWorker } from './protocol.ts'

const CLOSE_TIMEOUT_MS = 5_000

/** The module of that name beside the caller, with the caller's own ending: source from source, build from build. */
export function workerModule(name: string, callerUrl: string): URL {
  return new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl)
}

/** Starts a worker. A TypeScript module needs its loader registered first: the one that this process runs under does not reach workers. */
export function startWorker(script: URL, data: unknown): Worker {
  const options = { workerData: data, execArgv: [] }
  if (!script.pathname.endsWith('.ts')) return new Worker(script, options)
  const loader = import.meta.resolve('tsx/esm/api')
  const bootstrap = `import { register } from '${loader}'; register(); await import('${script}')`
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(bootstrap)}`), options)
}

/** Asks a worker to end after the jobs it has, and makes it end when it does not. */
export async function closeWorker(worker: Worker): Promise<void> {
  worker.ref()
  const ended = new Promise(resolve => worker.once('exit', resolve))
  worker.postMessage('close' satisfies ToWorker<never>)
  const timeout = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS)
  await ended
  clearTimeout(timeout)
}
