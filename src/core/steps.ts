/**
 * Work in short steps. It pauses at each `yield`, so that its caller can do something else in between or end the work, and returns
 * its result. Work between two pauses is short whatever the input is: about a thousand words.
 */
export type Steps<Result> = Generator<void, Result, void>

/** The caller of steps throws it into them, once, when their time is up. Steps that catch it return what they have so far, soon. */
export class TimeUp extends Error {
  constructor() {
    super('time is up')
    this.name = 'TimeUp'
  }
}

/** Runs all steps without a pause. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Steps that others replace when their time is up. */
export function* insteadWhenLate<Result>(steps: Steps<Result>, instead: () => Steps<Result>): Steps<Result> {
  try {
    return yield* steps
  } catch (error) {
    if (!(error instanceof TimeUp)) throw error
    return yield* instead()
  }
}

/** Steps that come to their result even when their time is up: then they begin again. */
export function toTheEnd<Result>(start: () => Steps<Result>): Steps<Result> {
  return insteadWhenLate(start(), start)
}

/** One step, for work that needs no pause. */
// biome-ignore lint/correctness/useYield: a step without a pause
export function* inOneStep<Result>(work: () => Result): Steps<Result> {
  return work()
}
