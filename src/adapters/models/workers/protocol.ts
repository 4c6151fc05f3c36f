import { parentPort } from 'node:worker_threads'

/** What a pool and its workers say to each other. */
export type ToWorker<Job> = { id: number; job: Job } | 'close'
export type FromWorker<Result, Details> =
  | { ready: Details }
  | { id: number; result: Result }
  | { id: number; error: string }

/** Inside a worker thread: tells the pool that it is ready, then works its jobs off one by one until told to close. */
export function serveJobs<Job, Result, Details>(
  details: Details,
  work: (job: Job) => Promise<Result>,
  dispose: () => Promise<unknown>,
): void {
  const port = parentPort
  if (port === null) throw new Error('this module runs in a worker thread')
  const say = (message: FromWorker<Result, Details>): void => port.postMessage(message)
  let turn = Promise.resolve()

  port.on('message', (message: ToWorker<Job>) => {
    turn = turn.then(async () => {
      if (message === 'close') {
        await dispose().catch(() => undefined)
        port.close()
        return
      }
      try {
        say({ id: message.id, result: await work(message.job) })
      } catch (error) {
        say({ id: message.id, error: error instanceof Error ? error.message : String(error) })
      }
    })
  })
  say({ ready: details })
}

/** The model library prints the inputs of a failed run, which are a customer's text: a worker's console stays shut. */
export function silenceConsole(): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => undefined
}
