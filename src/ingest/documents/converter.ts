import { fileURLToPath } from 'node:url'
import type { Piscina } from 'piscina'
import { loaderArguments, workerModule } from '../../core/work/worker-module.ts'
import type { BinaryFormat, ConvertJob } from './convert.worker.ts'
import type { ConversionFault, ConvertedDocument } from './converted.ts'

export interface ConversionLimits {
  /** Time for one file in milliseconds. */
  timeMs: number
  /** Size of one file in bytes. */
  bytes: number
  /** Heap of the worker in MiB. */
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
  /** Never rejects: a file that ends its worker, or takes too long or too much memory, is a fault. */
  convert(format: BinaryFormat, bytes: Uint8Array): Promise<Converted>
  close(): Promise<void>
}

type Converted = ConvertedDocument | ConversionFault
type ConversionPool = Piscina<ConvertJob, Converted>

const WATCH_MS = 200
const STACK_MIB = 16

/** Converts files in a worker thread, one at a time. The thread starts with the first file, and anew after a file that ended it. */
export function createConverter(limits: ConversionLimits = CONVERSION_LIMITS): DocumentConverter {
  let pool: Promise<ConversionPool> | null = null
  // Loaded here: most runs convert no file.
  const start = async (): Promise<ConversionPool> => {
    const { Piscina } = await import('piscina')
    const script = workerModule('convert.worker', import.meta.url)
    const started = new Piscina<ConvertJob, Converted>({
      filename: fileURLToPath(script),
      execArgv: loaderArguments(script),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMib, stackSizeMb: STACK_MIB },
    })
    // A worker that ends rejects its job too, which is where it is reported.
    started.on('error', () => undefined)
    return started
  }
  return {
    async convert(format, bytes) {
      if (bytes.length === 0) return { fault: 'empty', reason: 'is empty' }
      if (bytes.length > limits.bytes) return tooLarge(`has more than ${Math.round(limits.bytes / 2 ** 20)} MiB`)
      pool ??= start()
      const stop = new AbortController()
      let fault: ConversionFault = tooLarge('needs too much memory')
      const timer = setTimeout(() => {
        fault = { fault: 'too slow', reason: `took longer than ${limits.timeMs / 1_000} s` }
        stop.abort()
      }, limits.timeMs)
      const before = process.memoryUsage.rss()
      const watch = setInterval(() => {
        if (process.memoryUsage.rss() - before > limits.growthBytes) stop.abort()
      }, WATCH_MS)
      try {
        return await (await pool).run({ format, bytes }, { signal: stop.signal })
      } catch (error) {
        const isLimit = stop.signal.aborted || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
        return isLimit ? fault : { fault: 'damaged', reason: `cannot be converted: ${(error as Error).message}` }
      } finally {
        clearTimeout(timer)
        clearInterval(watch)
      }
    },
    async close() {
      await (await pool)?.destroy()
      pool = null
    },
  }
}

function tooLarge(reason: string): ConversionFault {
  return { fault: 'too large', reason }
}
