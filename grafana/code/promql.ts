/** Pieces of PromQL. Every selector keeps to the chosen instances, and every rate covers at least four scrapes (`$__rate_interval`). */

/** A selector. @param matchers more label matchers, such as `tenant=~"$tenant"` */
export function select(metric: string, ...matchers: string[]): string {
  return `${metric}{${['instance=~"$instance"', ...matchers].join(', ')}}`
}

/** Events per second, added up by labels. @param by labels separated by commas; empty adds up everything */
export function rate(by: string, metric: string, ...matchers: string[]): string {
  return `sum${by === '' ? '' : ` by (${by})`} (rate(${select(metric, ...matchers)}[$__rate_interval]))`
}

/** A quantile of a histogram, in the histogram's unit. @param quantile in [0,1] */
export function quantile(quantile: number, by: string, histogram: string, ...matchers: string[]): string {
  const labels = by === '' ? 'le' : `le, ${by}`
  return `histogram_quantile(${quantile}, ${rate(labels, `${histogram}_bucket`, ...matchers)})`
}

/** Quantiles of a histogram, each as a query with its legend, such as `p95`. @param shares each in [0,1] */
export function quantiles(shares: readonly number[], histogram: string): [query: string, legend: string][] {
  return shares.map(share => [quantile(share, '', histogram), `p${share * 100}`])
}

/** The mean of what a histogram observed. */
export function mean(by: string, histogram: string, ...matchers: string[]): string {
  return `${rate(by, `${histogram}_sum`, ...matchers)} / ${rate(by, `${histogram}_count`, ...matchers)}`
}

/** Requests per second that ran through the pipeline: every one of them is fused, and searches that passed through are not. */
export function pipelineRuns(): string {
  return rate('', 'stowage_stage_seconds_count', 'stage="fuse"')
}
