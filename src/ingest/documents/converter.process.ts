/**
 * The process in which files are converted. Its first thread watches, and ends the process with its parent; another thread does the
 * work. V8 ends a whole process, not a thread, when some kinds of memory are used up.
 */
import { Worker } from 'node:worker_threads'
import { loaderArguments, workerModule } from '../../core/work/worker-module.ts'
import type { ConvertJob } from './convert.worker.ts'
import { type Converted, TOO_MUCH_MEMORY } from './converted.ts'

const WATCH_MS = 200
const STACK_MIB = 16

const [heapMib = 0, growthBytes = 0] = process.argv.slice(2).map(Number)
/** Resident bytes when the file came; infinite while there is none. */
let before = Number.POSITIVE_INFINITY
let thread: Worker | null = null

// Ctrl-C and `docker stop` reach this process too, but its parent decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.on('disconnect', endAtOnce)
process.on('message', (job: ConvertJob) => {
  before = process.memoryUsage.rss()
  thread ??= startThread()
  thread.postMessage(job)
})
setInterval(() => {
  if (process.memoryUsage.rss() - before > growthBytes) endAtOnce()
}, WATCH_MS)

function startThread(): Worker {
  const script = workerModule('convert.worker', import.meta.url)
  const started = new Worker(script, {
    execArgv: loaderArguments(script),
    resourceLimits: { maxOldGenerationSizeMb: heapMib, stackSizeMb: STACK_MIB },
  })
  started.on('message', answer)
  started.on('error', (error: NodeJS.ErrnoException) => {
    thread = null
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    answer(isMemory ? TOO_MUCH_MEMORY : { fault: 'damaged', reason: `cannot be converted: ${error.message}` })
  })
  return started
}

function answer(converted: Converted): void {
  before = Number.POSITIVE_INFINITY
  process.send?.(converted)
}

/** `process.exit` would wait for the thread. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}
