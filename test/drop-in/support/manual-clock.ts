import type { Clock } from '../../../src/drop-in/clock.ts'

/** A clock that stands still until `advance`. */
export function createManualClock(): Clock & { advance(milliseconds: number): void } {
  let time = 0
  const timers = new Set<{ at: number; run: () => void }>()
  return {
    now: () => time,
    workedMs: () => 0,
    after(milliseconds, run) {
      const timer = { at: time + milliseconds, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      time += milliseconds
      for (const timer of [...timers]) {
        if (timer.at > time) continue
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
