import { groupBy } from '../../core/collections.ts'
import { messageOf, StowageError } from '../../core/errors.ts'
import type { PointId } from '../../core/types.ts'
import { type StartTimer, systemTimer } from '../../pipeline/deadline.ts'
import { keyOf } from '../documents/survey.ts'
import { PointQueue, type QueueLimits, type WaitingPoint, waitingPoints } from './point-queue.ts'

/** Works on points of one collection. @returns the points that were left as they are: not there, or done */
type LaneWork = (collection: string, ids: readonly PointId[], signal: AbortSignal) => Promise<PointId[]>

export interface LaneOptions {
  limits: QueueLimits
  /** Points that are worked on at a time. */
  round: number
  work: LaneWork
  /** Points that do not fit, or whose work has failed too often. They stay as they are. */
  onLost(event: { collection: string; points: number; outcome: 'dropped' | 'failed'; detail: string }): void
  /** Work on a collection pauses with this detail; null: it goes on. */
  onPaused(event: { collection: string; detail: string | null }): void
  startTimer?: StartTimer
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** How long a round waits for more points, in milliseconds. */
const GATHER_MS = 500
/** Failures in a row, after which the points of a round are given up. */
const MOST_FAILURES = 8
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 60_000
/** After a failure that does not pass by itself, such as a refused key. */
const PAUSE_MS = 300_000
/** When points are looked at once more; the last delay comes first. */
const LOOK_DELAYS_MS = [10_000, 1_000]
export const LOOKS = LOOK_DELAYS_MS.length

/** What went wrong with a collection. */
interface Trouble {
  failures: number
  /** No attempt before this time. */
  until: number
  detail: string
  isPause: boolean
}

/**
 * Works on points as they come, one round at a time, the collections in turn. A failed round is repeated after a delay; a failure that does
 * not pass by itself is a pause for this collection. Nobody waits for a lane.
 */
export class Lane {
  readonly #options: Required<LaneOptions>
  readonly #queue: PointQueue
  readonly #troubles = new Map<string, Trouble>()
  readonly #stopping = new AbortController()
  #resting = 0
  #running: Promise<void> | null = null
  #stopTimer = () => {}
  #isClosing = false

  constructor(options: LaneOptions) {
    this.#options = { startTimer: systemTimer, now: () => performance.now(), ...options }
    this.#queue = new PointQueue(options.limits)
  }

  /** Points that wait, also for another look. */
  get size(): number {
    return this.#queue.size + this.#resting
  }

  /** Why work on collections pauses, one sentence each. */
  get pauses(): string[] {
    return [...this.#troubles].filter(([, { isPause }]) => isPause).map(([name, { detail }]) => `${name}: ${detail}`)
  }

  offer(collection: string, points: readonly WaitingPoint[]): void {
    const dropped = this.#isClosing ? points.length : this.#queue.add(collection, points)
    const detail = this.#isClosing ? 'stowage ends' : 'the queue is full'
    if (dropped > 0) this.#options.onLost({ collection, points: dropped, outcome: 'dropped', detail })
    this.#start()
  }

  /** Waits at most `graceMs` for the round that runs, and ends it then. The points that wait are lost. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true
    this.#stopTimer()
    const stop = this.#options.startTimer(graceMs, () => this.#stopping.abort())
    await this.#running
    stop()
    this.#stopping.abort()
  }

  #start(): void {
    if (this.#running !== null || this.#isClosing) return
    // A timer can be a little early, so it is started again when it is not time yet.
    if (this.#next() === null) {
      this.#startLater()
      return
    }
    this.#running = this.#workOff().finally(() => {
      this.#running = null
      this.#start()
    })
  }

  async #workOff(): Promise<void> {
    while (this.#next() !== null) {
      await this.#gather()
      const next = this.#next()
      if (next === null || this.#isClosing) return
      await this.#round(next)
    }
  }

  /** Upserts that follow one another make one round: each round costs requests and writes to the disk beside those of the clients. */
  #gather(): Promise<void> {
    return new Promise(resolve => void this.#options.startTimer(GATHER_MS, resolve))
  }

  /** The collection whose turn it is. */
  #next(): string | null {
    const now = this.#options.now()
    return this.#queue.collections().find(name => (this.#troubles.get(name)?.until ?? 0) <= now) ?? null
  }

  /** Goes on when the first delay is over. */
  #startLater(): void {
    this.#stopTimer()
    const times = this.#queue.collections().flatMap(name => this.#troubles.get(name)?.until ?? [])
    if (times.length === 0 || this.#isClosing) return
    const wait = Math.max(1, Math.min(...times) - this.#options.now())
    this.#stopTimer = this.#options.startTimer(wait, () => this.#start())
  }

  async #round(collection: string): Promise<void> {
    const points = this.#queue.take(collection, this.#options.round)
    const { signal } = this.#stopping
    try {
      const ids = points.map(({ id }) => id)
      const left = new Set((await this.#options.work(collection, ids, signal)).map(keyOf))
      this.#recovered(collection)
      const again = points.filter(({ id, looks }) => looks > 0 && left.has(keyOf(id)))
      this.#lookAgain(collection, again)
    } catch (error) {
      if (!signal.aborted) this.#failed(collection, points, error)
    }
  }

  #recovered(collection: string): void {
    const wasPaused = this.#troubles.get(collection)?.isPause
    this.#troubles.delete(collection)
    if (wasPaused) this.#options.onPaused({ collection, detail: null })
  }

  #failed(collection: string, points: readonly WaitingPoint[], error: unknown): void {
    const detail = messageOf(error)
    const code = error instanceof StowageError ? error.code : 'internal'
    const before = this.#troubles.get(collection)
    const failures = (before?.failures ?? 0) + 1
    const isGone = code === 'collection_not_found'
    const isPause = !isGone && !code.startsWith('upstream_') && code !== 'internal'
    const delay = isPause ? PAUSE_MS : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1))
    const isOver = isGone || failures >= MOST_FAILURES
    this.#troubles.set(collection, {
      failures: isOver ? 0 : failures,
      until: this.#options.now() + (isGone ? 0 : delay),
      detail,
      isPause,
    })
    if (isPause && !before?.isPause) this.#options.onPaused({ collection, detail })
    if (isOver) this.#options.onLost({ collection, points: points.length, outcome: 'failed', detail })
    else this.offer(collection, points)
  }

  /** Qdrant may have said that it will write the points, and not that it has. */
  #lookAgain(collection: string, points: readonly WaitingPoint[]): void {
    const room = this.#options.limits.points - this.#resting
    for (const [looks, group] of groupBy(points, point => point.looks)) {
      const resting = group.slice(0, room).map(({ id }) => id)
      this.#resting += resting.length
      this.#options.startTimer(LOOK_DELAYS_MS[looks - 1] ?? FIRST_DELAY_MS, () => {
        this.#resting -= resting.length
        if (!this.#isClosing) this.offer(collection, waitingPoints(resting, looks - 1))
      })
    }
  }
}
