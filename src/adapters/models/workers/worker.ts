/** The default export of a worker module: runs one job at a time, in the order of the calls. */
export function inTurn<Job, Result>(work: (job: Job) => Promise<Result>): (job: Job) => Promise<Result> {
  let turn: Promise<unknown> = Promise.resolve()
  return job => {
    const result = turn.then(() => work(job))
    turn = result.catch(() => undefined)
    return result
  }
}

/** Silences the console of a worker: the model library prints the inputs of a failed run, which are texts of customers. */
export function silenceConsole(): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => undefined
}
