import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  openMetricsContentType,
  type Registry,
  type RegistryContentType,
} from 'prom-client'

/** The metrics of one process, as `registry.getMetricsAsJSON()` has them. */
export type Snapshot = Measured[]
type Measured = MetricObjectWithValues<MetricValue<string>>

interface Exemplar {
  timestamp: number
}

/** The sum of the metrics of several processes. What a process has counted still counts when it has ended. */
export function createMetricsSum() {
  const snapshots = new Map<number, Snapshot>()
  let retired: Snapshot = []

  return {
    /** Keeps the latest snapshot of a process. */
    keep(process: number, snapshot: Snapshot): void {
      snapshots.set(process, snapshot)
    },
    /** A process has ended: its counters and histograms stay, as they were in its latest snapshot, and its gauges go. */
    retire(process: number): void {
      const snapshot = snapshots.get(process) ?? []
      snapshots.delete(process)
      // Without this, the sum would fall, and Prometheus would take the whole rest of it for new requests.
      const lasting = snapshot.filter(({ type }) => String(type) !== 'gauge')
      retired = sumOf([retired, lasting]).getMetricsAsArray() as unknown as Snapshot
    },
    /** The sum in the text format of Prometheus, or in the OpenMetrics format. */
    print: (openMetrics: boolean): Promise<string> => sumOf([...snapshots.values(), retired], openMetrics).metrics(),
  }
}

function sumOf(snapshots: readonly Snapshot[], openMetrics = false): Registry<RegistryContentType> {
  const sum = AggregatorRegistry.aggregate<RegistryContentType>([...snapshots])
  if (openMetrics) sum.setContentType(openMetricsContentType)
  const exemplars = latestExemplars(snapshots)
  for (const metric of sum.getMetricsAsArray() as unknown as (Measured & { get(): Promise<Measured> })[]) {
    for (const value of metric.values) {
      const exemplar = exemplars.get(keyOf(value))
      if (exemplar !== undefined) Object.assign(value, { exemplar })
    }
    // For OpenMetrics, prom-client changes the name of this object, and then prints the one that `get` returns.
    metric.get = async () => metric
  }
  return sum
}

/** prom-client leaves exemplars out of a sum. */
function latestExemplars(snapshots: readonly Snapshot[]): Map<string, Exemplar> {
  const latest = new Map<string, Exemplar>()
  for (const value of snapshots.flatMap(metrics => metrics.flatMap(({ values }) => values))) {
    const { exemplar } = value as { exemplar?: Exemplar | null }
    if (!exemplar) continue
    const key = keyOf(value)
    if (exemplar.timestamp >= (latest.get(key)?.timestamp ?? 0)) latest.set(key, exemplar)
  }
  return latest
}

function keyOf({ labels, metricName }: MetricValue<string> & { metricName?: string }): string {
  return JSON.stringify([metricName, Object.entries(labels).sort()])
}
