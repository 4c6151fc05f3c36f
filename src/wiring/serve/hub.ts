import type { LineFile } from '../../adapters/traces/jsonl-file.ts'
import { createMetricsSum } from '../../cluster/metrics-sum.ts'
import { forward } from '../../cluster/peers.ts'
import type { WorkerStart } from '../../cluster/topics.ts'
import { startWorkerProcess, type WorkerProcess } from '../../cluster/worker-process.ts'
import type { Metrics } from '../../observe/metrics.ts'
import type { Rollback } from '../../rollout/rollout.ts'

/** What every worker starts with, whenever it starts. */
export type StartOfAll = Omit<WorkerStart, 'isFirst' | 'rollbacks' | 'firstAddress' | 'accepted'>

interface HubOptions {
  start: StartOfAll
  /** Of this process. */
  metrics: Metrics
  /** Null without one. */
  traceFile: LineFile | null
}

/** A worker that is busy for longer is counted as it was at the scrape before, in milliseconds. */
const METRICS_MS = 1_000
const FIRST = 0

/** What all workers ask of the primary, and what it brings from one to the others. */
export function createHub({ start, metrics, traceFile }: HubOptions) {
  const workers = new Map<number, WorkerProcess>()
  const sum = createMetricsSum()
  let rollbacks: readonly Rollback[] | null = null
  let firstAddress: string | null = null
  const accepted = new Map<string, Uint8Array>()

  function setFirstAddress(address: string | null): void {
    firstAddress = address
    for (const { line } of workers.values()) line.tell('firstAddress', address)
  }

  async function metricsPage(openMetrics: boolean): Promise<string> {
    const asked = [...workers.values()].map(async ({ pid, line }) => {
      const snapshot = await line.ask('metrics', null, METRICS_MS)
      // It may have ended since, and then it is counted already.
      if ([...workers.values()].some(worker => worker.pid === pid)) sum.keep(pid, snapshot)
    })
    await Promise.allSettled(asked)
    sum.keep(process.pid, await metrics.registry.getMetricsAsJSON())
    return sum.print(openMetrics)
  }

  /** @param place from 0; 0 is the first worker */
  function startWorker(place: number): WorkerProcess {
    const worker = startWorkerProcess()
    const { line, pid } = worker
    workers.set(place, worker)
    line.on('start', () => ({ ...start, isFirst: place === FIRST, rollbacks, firstAddress, accepted }))
    line.on('accepted', ({ variable, bytes }) => {
      accepted.set(variable, bytes)
    })
    line.on('metricsPage', ({ openMetrics }) => metricsPage(openMetrics))
    line.on('traceLine', text => traceFile?.append(text))
    line.on('forward', message => {
      // A first worker that is started again would else begin without them.
      if (message.topic === 'rollbacks') rollbacks = message.body as readonly Rollback[]
      const receivers = [...workers].filter(([other]) => (message.to === 'first' ? other === FIRST : other !== place))
      return forward(
        message,
        receivers.map(([, receiver]) => receiver.line),
      )
    })
    void worker.ended.then(() => {
      workers.delete(place)
      sum.retire(pid)
      if (place === FIRST) setFirstAddress(null)
    })
    if (place === FIRST) worker.listening.then(({ ownAddress }) => setFirstAddress(ownAddress)).catch(() => {})
    return worker
  }

  return {
    startWorker,
    /** Tells all workers to read their files again. */
    reload: (): void => {
      for (const { line } of workers.values()) line.tell('reload', null)
    },
  }
}
