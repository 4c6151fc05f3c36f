const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** For example `1,180`. */
export function count(value: number): string {
  return whole.format(value)
}

/** For example `4.2 ms` or `1.30 s`. */
export function time(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}

/** A share in per cent, for example `59 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
