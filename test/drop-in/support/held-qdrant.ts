import { once } from 'node:events'
import type { Server } from 'node:http'
import { deferred } from '../../support/deferred.ts'
import { createRecordingServer, type Recorded, type Reply } from '../../support/recording-server.ts'

/** `batch` and `neighbours` are the improver's own calls, `original` is the client's request. */
type CallKind = 'batch' | 'neighbours' | 'original'

export interface HeldCall {
  kind: CallKind
  request: Recorded
  answer(reply: Reply): void
  /** Resolves when the connection was closed before an answer. */
  closed: Promise<unknown>
}

/** A stand-in for Qdrant that answers each call when the test says so. `arrived` lists the kinds of all calls in order. */
export function createHeldQdrant(): { server: Server; arrived: CallKind[]; next(): Promise<HeldCall> } {
  const arrived: CallKind[] = []
  const calls: HeldCall[] = []
  const waiting: ((call: HeldCall) => void)[] = []
  const { server } = createRecordingServer(request => {
    const own = request.headers['accept-encoding'] === 'identity'
    const kind: CallKind = !own ? 'original' : request.path.includes('/batch') ? 'batch' : 'neighbours'
    arrived.push(kind)
    const answered = deferred<Reply>()
    const closed = deferred<void>()
    const call: HeldCall = { kind, request, answer: answered.resolve, closed: closed.promise }
    const taker = waiting.shift()
    if (taker) taker(call)
    else calls.push(call)
    return response => {
      void once(response, 'close').then(() => closed.resolve())
      void answered.promise.then(reply => {
        if (reply === null) response.destroy()
        else if (typeof reply === 'function') reply(response)
        else response.writeHead(reply.status ?? 200, reply.headers).end(reply.body)
      })
    }
  })
  return {
    server,
    arrived,
    next: () => {
      const call = calls.shift()
      return call ? Promise.resolve(call) : new Promise(resolve => waiting.push(resolve))
    },
  }
}
