import { messageOf, StowageError } from '../../../core/errors.ts'
import type { NodeOutcome } from '../../../observe/metrics/rerank-nodes.ts'
import type { RerankReports } from '../../../observe/reports/rerank.ts'
import { type StartTimer, systemTimer } from '../../../pipeline/deadline.ts'
import { Balancer } from './balancer.ts'
import { NodeFailure } from './failure.ts'
import type { FleetNode, NodeCall } from './node.ts'

/** Sees what happens to the nodes. */
export type FleetObserver = RerankReports

export interface FleetOptions {
  /** One or more. */
  urls: readonly string[]
  observer?: FleetObserver
  now?: () => number
  startTimer?: StartTimer
  random?: () => number
}

/** Sends one request to one node. @throws NodeFailure */
type SendTo<Answer> = (url: string, signal: AbortSignal) => Promise<Answer>

const UNOBSERVED: FleetObserver = {
  rerankNodeCalled() {},
  rerankHedged() {},
  rerankRetried() {},
  rerankNodeLeftOut() {},
}

export function createFleet(options: FleetOptions) {
  const { urls, observer = UNOBSERVED } = options
  const { now = () => performance.now(), startTimer = systemTimer, random = Math.random } = options
  let lastFault = ''
  const onLeftOut = (node: string, leftOut: boolean) =>
    observer.rerankNodeLeftOut({ node, leftOut, fault: leftOut ? lastFault : null })
  const balancer = new Balancer({ urls, now, random, onLeftOut })

  const begin = (tried: ReadonlySet<FleetNode>) => balancer.begin(tried) ?? balancer.beginLastResort(tried)
  /** One more node after the first, and after two a last resort only. */
  const retry = (tried: ReadonlySet<FleetNode>) => {
    if (tried.size === 1) return begin(tried)
    return tried.size === 2 ? balancer.beginLastResort(tried) : null
  }

  /**
   * Answers of one node: the request goes to a second one when the first fails, or takes longer than usual. The first answer wins, and the other call ends.
   * @throws StowageError when no node answers; the reason of the signal when it aborts
   */
  function ask<Answer>(send: SendTo<Answer>, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise<Answer>((resolve, reject) => {
      const tried = new Set<FleetNode>()
      const running = new Map<NodeCall, NodeCall['end']>()
      let hedge: NodeCall | null = null
      let stopTimer = () => {}

      const finish = (winner: NodeCall | null, others: NodeOutcome, settle: () => void) => {
        stopTimer()
        signal.removeEventListener('abort', onAbort)
        for (const end of running.values()) end(others)
        if (hedge !== null)
          observer.rerankHedged({ winner: winner === null ? 'none' : winner === hedge ? 'hedge' : 'first' })
        settle()
      }
      const onAbort = () => {
        const isLate = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
        finish(null, isLate ? 'overdue' : 'given_up', () => reject(signal.reason))
      }
      const onFailure = (error: unknown) => {
        // Endpoints may have different limits: what one refuses, another can answer.
        if (running.size > 0) return
        if (start(retry(tried)) !== null) return observer.rerankRetried()
        finish(null, 'given_up', () => reject(error))
      }

      const start = (call: NodeCall | null): NodeCall | null => {
        if (call === null) return null
        tried.add(call.node)
        const from = now()
        const abort = new AbortController()
        const end = (outcome: NodeOutcome, retryAfterMs?: number) => {
          running.delete(call)
          if (outcome === 'overtaken' || outcome === 'overdue') lastFault = 'it did not answer in time'
          call.end(outcome, retryAfterMs)
          observer.rerankNodeCalled({ node: call.node.name, outcome, seconds: (now() - from) / 1_000 })
          abort.abort()
        }
        running.set(call, end)
        send(call.node.url, abort.signal).then(
          answer => {
            if (!running.has(call)) return
            end('answered')
            finish(call, call === hedge ? 'overtaken' : 'given_up', () => resolve(answer))
          },
          (error: unknown) => {
            if (!running.has(call)) return
            lastFault = messageOf(error)
            if (error instanceof NodeFailure) end(error.outcome, error.retryAfterMs)
            else end('failed')
            onFailure(error)
          },
        )
        return call
      }

      signal.addEventListener('abort', onAbort, { once: true })
      const first = start(begin(tried))
      if (first === null) return finish(null, 'given_up', () => reject(noNode(urls.length, lastFault)))
      stopTimer = startTimer(first.node.hedgeDelayMs, () => {
        // A retry is a second call already.
        if (tried.size === 1) hedge = start(balancer.beginHedge(first))
      })
    })
  }

  return {
    /** Number of nodes that are not left out. */
    get healthy(): number {
      return balancer.healthy
    },
    ask,
  }
}

function noNode(count: number, lastFault: string): StowageError {
  const which = count === 1 ? 'The endpoint' : `None of the ${count} endpoints`
  const fault = lastFault === '' ? '' : `; the last failure: ${lastFault}`
  return new StowageError(
    'upstream_unavailable',
    `${which} of the reranker (RERANK_URL) can${count === 1 ? 'not' : ''} be used now${fault}`,
  )
}
