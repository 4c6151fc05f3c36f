import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { loaderArguments } from '../core/work/worker-module.ts'
import { createLine, type Line } from './line.ts'
import type { Failure, Listening } from './topics.ts'

/** A worker, as the primary sees it. */
export interface WorkerProcess {
  readonly line: Line
  readonly pid: number
  /** Resolves when it accepts connections. @throws WorkerFailure when it cannot start, or ends before that */
  readonly listening: Promise<Listening>
  /** Never rejects. */
  readonly ended: Promise<WorkerEnd>
  /** Calls the listener at each message of the worker. */
  onMessage(listener: () => void): void
  /** Connections that it was given until now; null while it does not listen, or has not accepted the last one. */
  readonly connections: number | null
  /** Asks it to end. One that does not listen yet is ended at once: it may not hear the question, and nobody waits for it. */
  stop(graceMs: number): void
  /** Gives it no more connections. With the last worker, the port is closed when this returns. */
  leavePort(): void
  /** Ends it at once. */
  kill(): void
}

/** How a worker ended: by a signal, or with an exit code and perhaps the reason why it could not start. */
export interface WorkerEnd {
  code: number | null
  signal: string | null
  reason: string | null
}

/** A worker cannot start. `faults` are those of the configuration; null for every other reason. */
export class WorkerFailure extends Error {
  readonly faults: readonly string[] | null

  constructor({ message, faults }: Failure) {
    super(message)
    this.name = 'WorkerFailure'
    this.faults = faults
  }
}

/** Sets how workers are started. Call it once. @param script the module that a worker runs */
export function setUpWorkers(script: URL): void {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(script),
    args: [],
    execArgv: [...process.execArgv, ...loaderArguments(script)],
    serialization: 'advanced',
  })
}

export function startWorkerProcess(): WorkerProcess {
  const worker = cluster.fork()
  // Node itself answers a worker that asks for the port. When the worker has been killed meanwhile, the failed write would end this process; `exit` tells the rest.
  worker.on('error', () => {})
  const line = createLine(worker.process)
  const watched = watchConnections(worker)
  worker.once('exit', watched.closeUnaccepted)
  let isListening = false
  let failure: Failure | null = null
  const ended = new Promise<WorkerEnd>(resolve => {
    worker.once('exit', (code, signal) =>
      resolve({ code: signal ? null : code, signal: signal || null, reason: failure?.message ?? null }),
    )
  })
  const listening = new Promise<Listening>((resolve, reject) => {
    line.on('listening', told => {
      isListening = true
      resolve(told)
    })
    line.on('failed', told => {
      failure = told
    })
    void ended.then(({ code, signal }) => {
      const how = signal === null ? `exit code ${code}` : signal
      reject(new WorkerFailure(failure ?? { message: `a worker ended at the start by ${how}`, faults: null }))
    })
  })
  const kill = () => void worker.process.kill('SIGKILL')
  return {
    line,
    pid: worker.process.pid ?? 0,
    listening,
    ended,
    onMessage: listener => void worker.process.on('message', listener),
    get connections() {
      return isListening ? watched.connections() : null
    },
    stop: graceMs => {
      if (isListening) line.tell('stop', { graceMs })
      else kill()
    },
    leavePort: () => {
      worker.disconnect()
      line.tell('portClosed', null)
    },
    kill,
  }
}

/**
 * Node gives a worker one connection after the other, each when it has accepted the one before. One that is on its way when the worker ends stays open
 * in the primary, and its client waits for nothing: Node does not close it, because the worker would have to answer first.
 */
function watchConnections({ process: child }: Worker) {
  const send = child.send.bind(child) as (...values: unknown[]) => boolean
  let given = 0
  let unaccepted: { close?: () => void } | null = null
  child.send = ((message: { act?: string }, handle: unknown, ...rest: unknown[]) => {
    // Node takes the worker off the port, which must happen here and now. It would also have the worker break its connections, and end.
    if (message.act === 'disconnect') return true
    if (message.act === 'newconn') {
      given++
      unaccepted = handle as typeof unaccepted
    }
    return send(message, handle, ...rest)
  }) as typeof child.send
  // Before Node hears of it, and gives the next connection.
  child.prependListener('internalMessage', ({ accepted }: { accepted?: boolean }) => {
    if (accepted !== undefined) unaccepted = null
  })
  return {
    connections: () => (unaccepted === null ? given : null),
    closeUnaccepted: () => unaccepted?.close?.(),
  }
}
