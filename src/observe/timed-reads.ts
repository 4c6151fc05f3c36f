import type { QdrantHttp } from '../qdrant/client.ts'
import type { Reporter } from './events.ts'

/** A client for reads that reports the time of each, repetitions after a reset included. */
export function timeReads(http: QdrantHttp, { upstreamRead }: Reporter): QdrantHttp {
  const timed = async <T>(read: Promise<T>): Promise<T> => {
    const started = performance.now()
    const report = (outcome: 'answered' | 'failed') =>
      upstreamRead({ outcome, seconds: (performance.now() - started) / 1_000 })
    return read.then(
      answer => {
        report('answered')
        return answer
      },
      error => {
        report('failed')
        throw error
      },
    )
  }
  return {
    read: request => timed(http.read(request)),
    readRaw: request => timed(http.readRaw(request)),
    close: () => http.close(),
  }
}
