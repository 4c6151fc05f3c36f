import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traces,
} from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { shownPath } from '../../http/observe-requests.ts'
import type { QueryTextMode } from '../../observe/query-text.ts'
import type { Spans } from '../../observe/spans.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'
import { readCollectionPath } from '../../qdrant/paths.ts'
import { describeRequest, methodOf, retrievalAttributes, routeOf } from './attributes.ts'

interface OpenTelemetryOptions {
  /** Whole URL of the receiver of traces. */
  url: string
  protocol: 'http/protobuf' | 'http/json'
  /** Longest time of one export with its repetitions, in milliseconds. */
  timeoutMs: number
  version: string
  /** How spans show query text. */
  queryText: QueryTextMode
  /** Called when exporting begins to fail, and with null when it works again. */
  onExport: (error: Error | null) => void
}

/** The end of the process waits this long for spans that are not sent yet. */
const CLOSING_MS = 1_000

/**
 * Sends spans by OTLP over HTTP, with the SDK of OpenTelemetry. Spans wait in a queue of at most `OTEL_BSP_MAX_QUEUE_SIZE` (2,048), new ones are
 * dropped when it is full. The SDK itself reads the other variables, such as `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER` and
 * `OTEL_RESOURCE_ATTRIBUTES`. Nothing is registered globally: a program that stowage is a part of can have an SDK of its own.
 */
export async function startOpenTelemetry(options: OpenTelemetryOptions): Promise<Spans> {
  const { version, queryText } = options
  const named = resourceFromAttributes({ 'service.name': 'stowage', 'service.version': version })
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(watched(await createExporter(options), options.onExport))],
  })
  const tracer = provider.getTracer('stowage', version)
  const propagator = new W3CTraceContextPropagator()
  const active = new AsyncLocalStorage<Context>()
  const here = () => active.getStore() ?? ROOT_CONTEXT

  return {
    serve(request, run) {
      const method = methodOf(request.method)
      const path = shownPath(request.url ?? '/')
      const route = routeOf(path)
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const attributes = {
        'http.request.method': method,
        'url.path': path,
        'url.scheme': 'http',
        ...(route !== null && { 'http.route': route }),
      }
      const name = route === null ? method : `${method} ${route}`
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
      active.run(traces.setSpan(parent, span), () =>
        run({
          traceId: span.spanContext().traceId,
          end(finished) {
            describeRequest(span, finished)
            span.end()
          },
        }),
      )
    },

    read({ method, path }) {
      const [bare = ''] = path.split('?')
      const route = routeOf(bare)
      const collection = readCollectionPath(bare)?.collection
      const attributes = {
        'http.request.method': method,
        'db.system.name': 'qdrant',
        ...(route !== null && { 'url.template': route }),
        ...(collection !== undefined && { 'db.collection.name': collection }),
      }
      const name = route === null ? method : `${method} ${route}`
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, here())
      const carrier: Record<string, string> = {}
      propagator.inject(traces.setSpan(here(), span), carrier, defaultTextMapSetter)
      return {
        headers: Object.entries(carrier).flat(),
        end(status) {
          if (status !== null) span.setAttribute('http.response.status_code', status)
          if (status === null || status >= 400) {
            span.setAttribute('error.type', status === null ? 'no_answer' : String(status))
            span.setStatus({ code: SpanStatusCode.ERROR })
          }
          span.end()
        },
      }
    },

    traced(trace: Trace) {
      const end = Date.now()
      const start = end - trace.duration_ms
      const attributes = retrievalAttributes(trace, queryText)
      const name = `retrieval ${trace.collections.join(',')}`
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: start, attributes }, here())
      const within = traces.setSpan(here(), span)
      for (const stage of trace.stages) {
        const from = start + stage.start_ms
        const numbers = { 'stowage.in': stage.in, 'stowage.out': stage.out, 'stowage.changed': stage.changed }
        const child = tracer.startSpan(stage.name, { startTime: from, attributes: numbers }, within)
        child.end(from + stage.ms)
      }
      span.end(end)
    },

    async close() {
      await Promise.race([provider.shutdown().catch(() => {}), pause(CLOSING_MS, null, { ref: false })])
    },
  }
}

async function createExporter({ url, protocol, timeoutMs }: OpenTelemetryOptions): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'))
  return new OTLPTraceExporter({ url, timeoutMillis: timeoutMs })
}

/** An exporter that tells when it begins to fail, and when it works again. */
function watched(exporter: SpanExporter, onExport: OpenTelemetryOptions['onExport']): SpanExporter {
  let failing = false
  const tell = ({ code, error }: ExportResult) => {
    const failed = code !== ExportResultCode.SUCCESS
    if (failed !== failing) onExport(failed ? (error ?? new Error('no reason is known')) : null)
    failing = failed
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        tell(result)
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
