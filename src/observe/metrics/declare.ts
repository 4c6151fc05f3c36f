import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client'

/**
 * The values of each label; an empty list where they are not known before. Every combination of them is a series that exists from the
 * start with 0: a rate over a series that appears with its first event misses that event.
 */
type LabelValues<Label extends string> = Readonly<Record<Label, readonly string[]>>

/** A metric of prom-client, with the values of its labels in place of their names. */
type Declared<Configuration, Label extends string> = Omit<Configuration, 'labelNames' | 'registers'> & {
  labels?: LabelValues<Label>
}

/** Labels of exemplars: the ids under which a trace and its spans are found. */
type ExemplarLabel = 'trace_id' | 'otel_trace_id'

/** What declares the metrics of a registry. */
export function declareIn(registry: Registry) {
  const registers = [registry]
  return {
    counter<Label extends string = never>({ labels, ...declared }: Declared<CounterConfiguration<Label>, Label>) {
      const counter = new Counter<Label>({ ...declared, labelNames: namesOf(labels), registers })
      for (const series of seriesOf(labels)) counter.inc(series, 0)
      return counter
    },
    gauge<Label extends string = never>({ labels, ...declared }: Declared<GaugeConfiguration<Label>, Label>) {
      const gauge = new Gauge<Label>({ ...declared, labelNames: namesOf(labels), registers })
      for (const series of seriesOf(labels)) gauge.set(series, 0)
      return gauge
    },
    histogram<Label extends string = never>({ labels, ...declared }: Declared<HistogramConfiguration<Label>, Label>) {
      const histogram = new Histogram<Label>({ ...declared, labelNames: namesOf(labels), registers })
      for (const series of seriesOf(labels)) histogram.zero(series)
      return histogram
    },
    /** A histogram whose buckets remember the last request, for the OpenMetrics format. The text format of Prometheus has no exemplars. */
    histogramWithExemplars<Label extends string>({
      labels,
      ...declared
    }: Omit<Declared<HistogramConfiguration<Label>, Label>, 'collect'>) {
      const labelNames = namesOf(labels)
      // A registry of the text format refuses such a histogram in the constructor, but prints it without exemplars.
      const histogram = new Histogram<Label | ExemplarLabel>({
        ...declared,
        labelNames,
        enableExemplars: true,
        registers: [],
      })
      registry.registerMetric(histogram)
      for (const series of seriesOf(labels)) histogram.zero(series as Record<Label | ExemplarLabel, string>)
      return histogram
    },
  }
}

function namesOf<Label extends string>(labels: LabelValues<Label> | undefined): Label[] {
  return Object.keys(labels ?? {}) as Label[]
}

/** Every combination of the values; none without labels, because prom-client begins such a metric itself. */
function seriesOf<Label extends string>(labels: LabelValues<Label> | undefined): Record<Label, string>[] {
  if (labels === undefined) return []
  return namesOf(labels).reduce(
    (series, name) => series.flatMap(known => labels[name].map(value => ({ ...known, [name]: value }))),
    [{} as Record<Label, string>],
  )
}
