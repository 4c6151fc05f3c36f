/**
 * What one attempt says about what was tried: it works; it failed, which can be an accident; it is broken, which one attempt is enough to say; or nothing.
 */
export type Verdict = 'good' | 'bad' | 'broken' | 'unknown'

/** One admitted attempt. Only the first verdict counts. */
export interface Attempt {
  settle(verdict: Verdict): void
}

interface BreakerOptions {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Bad attempts in a row after which a pause begins. */
  mostBad: number
  /** The first pause, in milliseconds. It doubles with every probe that is not good. */
  firstPauseMs: number
  longestPauseMs: number
  /** Called when a pause begins (true) and when it ends. @param askedMs length of a pause that `pauseFor` begins, in milliseconds */
  onChange?: (paused: boolean, askedMs?: number) => void
}

/**
 * A circuit breaker. It pauses after some bad attempts in a row, after one that found it broken, or because it is asked to. After the pause one attempt at a time is
 * admitted as a probe; a good probe ends the pause.
 */
export class Breaker {
  readonly #options: BreakerOptions
  #badInARow = 0
  /** Milliseconds; 0 without a pause. */
  #pauseMs = 0
  #pausedUntil = 0
  #probe: Attempt | null = null

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  /** From the first failure on until a probe was good. */
  get paused(): boolean {
    return this.#pauseMs > 0
  }

  /** Whether an attempt would be admitted now. */
  get admits(): boolean {
    return !this.paused || (this.#probe === null && this.#options.now() >= this.#pausedUntil)
  }

  /** Null during a pause. An admitted attempt must be settled. */
  admit(): Attempt | null {
    if (!this.admits) return null
    let open = true
    const attempt: Attempt = {
      settle: verdict => {
        if (!open) return
        open = false
        this.#settle(attempt, verdict)
      },
    }
    if (this.paused) this.#probe = attempt
    return attempt
  }

  /** Pauses for at least so many milliseconds from now. It never shortens a pause. Attempts that run, also a probe, say nothing about the time after it. */
  pauseFor(milliseconds: number): void {
    const { now, firstPauseMs, onChange } = this.#options
    const began = !this.paused
    this.#probe = null
    this.#pauseMs ||= firstPauseMs
    this.#pausedUntil = Math.max(this.#pausedUntil, now() + milliseconds)
    if (began) onChange?.(true, milliseconds)
  }

  #settle(attempt: Attempt, verdict: Verdict): void {
    const wasProbe = this.#probe === attempt
    if (wasProbe) this.#probe = null
    // Attempts from before a pause say nothing about the time after it.
    if (verdict === 'unknown' || (this.paused && !wasProbe)) return
    if (verdict === 'good') this.#resume()
    else if (wasProbe || verdict === 'broken' || ++this.#badInARow >= this.#options.mostBad) this.#pause()
  }

  #pause(): void {
    const { now, firstPauseMs, longestPauseMs, onChange } = this.#options
    const began = !this.paused
    this.#pauseMs = Math.min(Math.max(firstPauseMs, this.#pauseMs * 2), longestPauseMs)
    this.#pausedUntil = now() + this.#pauseMs
    if (began) onChange?.(true)
  }

  #resume(): void {
    this.#badInARow = 0
    if (!this.paused) return
    this.#pauseMs = 0
    this.#options.onChange?.(false)
  }
}
