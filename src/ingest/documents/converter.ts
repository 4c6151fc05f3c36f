import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { loaderArguments, workerModule } from '../../core/work/worker-module.ts'
import type { ConvertedFormat, ConvertJob } from './convert.worker.ts'
import { type Converted, TOO_MUCH_MEMORY, tooLarge } from './converted.ts'

export interface ConversionLimits {
  /** Time for one file in milliseconds. */
  timeMs: number
  /** Size of one file in bytes. */
  bytes: number
  /** Heap of the thread that converts, in MiB. */
  heapMib: number
  /** Growth of the memory of the process during one file, in bytes: it covers what the heap does not hold. */
  growthBytes: number
}

export const CONVERSION_LIMITS: ConversionLimits = {
  timeMs: 120_000,
  bytes: 256 * 2 ** 20,
  heapMib: 1_024,
  growthBytes: 2 * 2 ** 30,
}

export interface DocumentConverter {
  /** Never rejects: a file that ends its process, or takes too long or too much memory, is a fault. Call it for one file at a time. */
  convert(format: ConvertedFormat, bytes: Uint8Array): Promise<Converted>
  close(): Promise<void>
}

/** Converts files in a process of its own. It starts with the first file, and anew after a file that ended it. */
export function createConverter(limits: ConversionLimits = CONVERSION_LIMITS): DocumentConverter {
  let running: ChildProcess | null = null
  return {
    async convert(format, bytes) {
      if (bytes.length === 0) return { fault: 'empty', reason: 'is empty' }
      if (bytes.length > limits.bytes) return tooLarge(`has more than ${Math.round(limits.bytes / 2 ** 20)} MiB`)
      if (running === null || hasEnded(running)) running = start(limits)
      return convertIn(running, { format, bytes }, limits.timeMs)
    },
    async close() {
      if (running === null || hasEnded(running)) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    },
  }
}

function start({ heapMib, growthBytes }: ConversionLimits): ChildProcess {
  const script = workerModule('converter.process', import.meta.url)
  return fork(fileURLToPath(script), [String(heapMib), String(growthBytes)], {
    execArgv: loaderArguments(script),
    serialization: 'advanced',
    // V8 prints pages when it ends a process.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function convertIn(child: ChildProcess, job: ConvertJob, timeMs: number): Promise<Converted> {
  return new Promise(resolve => {
    let fault = TOO_MUCH_MEMORY
    const timer = setTimeout(() => {
      fault = { fault: 'too slow', reason: `took longer than ${timeMs / 1_000} s` }
      child.kill('SIGKILL')
    }, timeMs)
    const settle = (converted: Converted) => {
      clearTimeout(timer)
      child.off('message', settle).off('exit', onExit).off('error', onError)
      resolve(converted)
    }
    const onExit = () => settle(fault)
    const onError = (error: Error) => settle({ fault: 'damaged', reason: `cannot be converted: ${error.message}` })
    child.on('message', settle).on('exit', onExit).on('error', onError)
    // A process that cannot be told has ended, or is about to.
    child.send(job, () => {})
  })
}
