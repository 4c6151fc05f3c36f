import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { loaderArguments, workerModule } from '../../src/core/work/worker-module.ts'
import type { ServerRole } from './server-worker.ts'

/** Starts a server in a thread of its own and gives its URL. */
export async function startServerThread(role: ServerRole): Promise<{ url: string; worker: Worker }> {
  const script = workerModule('./server-worker', import.meta.url)
  const worker = new Worker(script, { workerData: role, execArgv: loaderArguments(script) })
  const [url] = (await once(worker, 'message')) as [string]
  return { url, worker }
}
