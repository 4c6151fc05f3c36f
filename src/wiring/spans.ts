import type { Config } from '../config.ts'
import type { Reporter } from '../observe/events.ts'
import { NO_SPANS, type Spans } from '../observe/spans.ts'
import { VERSION } from './version.ts'

/** Spans for OpenTelemetry, when the configuration names a receiver. Otherwise its SDK is not even loaded. */
export async function openSpans({ settings }: Config, reporter: Reporter): Promise<Spans> {
  const url = receiverOf(settings)
  if (url === null) return NO_SPANS
  const { startOpenTelemetry } = await import('../adapters/spans/open-telemetry.ts')
  return startOpenTelemetry({
    url,
    protocol: settings.OTEL_EXPORTER_OTLP_PROTOCOL,
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    version: VERSION,
    queryText: settings.LOG_QUERY_TEXT,
    onExport: error => reporter.spansExported({ error }),
  })
}

/** The URL for traces: its own variable, or a path below the common one; null when tracing is off. */
function receiverOf(settings: Config['settings']): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: common, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_SDK_DISABLED: disabled } = settings
  if (disabled || exporter === 'none') return null
  if (own !== undefined) return own
  if (common !== undefined) return `${common.replace(/\/+$/u, '')}/v1/traces`
  return exporter === 'otlp' ? 'http://localhost:4318/v1/traces' : null
}
