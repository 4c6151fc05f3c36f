import { Histogram, type HistogramConfiguration, Registry } from 'prom-client'

/** A histogram whose buckets remember the last request, for the OpenMetrics format. The text format of Prometheus has no exemplars. */
export function histogramWithExemplars<Label extends string>(
  registry: Registry,
  configuration: HistogramConfiguration<Label>,
): Histogram<Label> {
  // A registry of the text format refuses such a histogram in the constructor, but prints it without exemplars.
  const histogram = new Histogram({ ...configuration, enableExemplars: true, registers: [] })
  registry.registerMetric(histogram)
  return histogram
}

/**
 * A registry that prints the metrics of another one in the OpenMetrics format. It holds a view of each metric, not a copy: printing
 * this format, prom-client changes the names of counters, and the text format would then print the changed names.
 */
export function openMetricsOf(registry: Registry): Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE> {
  const views = new Registry(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const { name } of registry.getMetricsAsArray())
    views.registerMetric(Object.create(registry.getSingleMetric(name) ?? null))
  return views
}
