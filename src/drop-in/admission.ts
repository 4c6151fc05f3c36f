import type { Clock } from './clock.ts'

/** First guess of the work of one attempt, in milliseconds of the event loop. */
const FIRST_GUESS_MS = 10
/** Weight of the latest attempt in the moving average of the work. */
const SMOOTHING = 0.2

/**
 * Admits an attempt of a tenant. The returned function ends it and takes its work in milliseconds; 0 when it chose no points.
 * Null: no room.
 */
type Admit = (tenant: string | null) => ((workedMs: number) => void) | null

/**
 * Bounds the attempts in flight. Their answers from Qdrant can arrive all at once, and choosing points runs on one event loop. The last of
 * them must not wait longer than `roomMs`, so the bound is the room divided by the usual work of one attempt. A tenant is admitted beyond
 * the bound while it has less than its share: the room divided by the tenants with attempts in flight. What the others began before it
 * came hardly delays it, because tenants take turns on the event loop. So `n` tenants have at most 1 + 1/2 + … + 1/n times the bound.
 * @param roomMs one attempt is always admitted, also when it takes longer
 */
export function createAdmission(roomMs: number): Admit {
  const inFlight = new Map<string | null, number>()
  let attempts = 0
  let workMs = FIRST_GUESS_MS
  return tenant => {
    const own = inFlight.get(tenant) ?? 0
    const tenants = inFlight.size + (own === 0 ? 1 : 0)
    const fits = (attempts + 1) * workMs <= roomMs || (own + 1) * workMs * tenants <= roomMs
    if (attempts > 0 && !fits) return null
    inFlight.set(tenant, own + 1)
    attempts += 1
    return workedMs => {
      const left = (inFlight.get(tenant) ?? 0) - 1
      if (left > 0) inFlight.set(tenant, left)
      else inFlight.delete(tenant)
      attempts -= 1
      if (workedMs > 0) workMs += SMOOTHING * (workedMs - workMs)
    }
  }
}

/** Measures the work of one attempt: the time that the event loop worked, without the time in which the attempt only waited. */
export class WorkMeter {
  readonly #clock: Pick<Clock, 'workedMs'>
  #workedMs = 0
  #since: number | null = null

  constructor(clock: Pick<Clock, 'workedMs'>) {
    this.#clock = clock
  }

  start(): void {
    this.#since ??= this.#clock.workedMs()
  }

  stop(): void {
    if (this.#since !== null) this.#workedMs += this.#clock.workedMs() - this.#since
    this.#since = null
  }

  /** Waits for a promise without counting the time. */
  async pause<Value>(waiting: Promise<Value>): Promise<Value> {
    this.stop()
    return waiting.finally(() => this.start())
  }

  get workedMs(): number {
    return this.#workedMs
  }
}
