import { createReporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { createRedundancySampler } from '../../src/observe/redundancy-sampler.ts'
import { sampleTrace } from '../support/sample-trace.ts'

/** What telemetry costs in CPU time, which other programs do not change: the reports of one request, a scrape with 100 tenants, and measuring the redundancy of one context. */

const REQUESTS = 20_000
const SCRAPES = 50
const STAGES = [
  'intent',
  'retrieve',
  'fuse',
  'dedupe',
  'rerank',
  'answerability',
  'reunify',
  'diversify',
  'pack',
] as const

const metrics = createMetrics()
const logger = createLogger({ level: 'info', destination: { write: () => {} } })
const reporter = createReporter({ metrics, logger })
const tenants = Array.from({ length: 100 }, (_, at) => `tenant-${at}`)
reporter.tenantsDeclared({ names: new Set(tenants) } as never)

const [packed] = sampleTrace().candidates
const candidates = packed ? Array.from({ length: 60 }, () => packed) : []
const stages = STAGES.map(name => ({ name, start_ms: 1, ms: 3, in: 60, out: 40, changed: true }))

function report(at: number): void {
  const tenant = tenants[at % tenants.length] ?? null
  const traceId = `0af7651916cd43dd8448eb211c8${at}`
  reporter.contextTraced({ trace: sampleTrace({ trace_id: traceId, tenant, stages, candidates, recall_proxy: 0.7 }) })
  reporter.requestFinished({
    endpoint: 'context',
    outcome: 'ok',
    route: 'POST /v1/context',
    status: 200,
    seconds: 0.1,
    requestId: 'a8098c1a-f86e-11da-bd1a-00112444be1e',
    tenant,
    traceId,
    otelTraceId: null,
    degraded: [],
    limited: null,
    cause: null,
  })
}

function meanMicroseconds(count: number, work: (at: number) => void): number {
  const started = process.cpuUsage()
  for (let at = 0; at < count; at++) work(at)
  return microsecondsSince(started) / count
}

function microsecondsSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started)
  return user + system
}

meanMicroseconds(REQUESTS, report)
console.log(`reports of a request: ${meanMicroseconds(REQUESTS, report).toFixed(1)} µs`)

for (const [format, registry] of Object.entries({ text: metrics.registry, OpenMetrics: metrics.openMetrics })) {
  const page = await registry.metrics()
  const started = process.cpuUsage()
  for (let at = 0; at < SCRAPES; at++) await registry.metrics()
  const ms = microsecondsSince(started) / SCRAPES / 1_000
  console.log(
    `scrape with ${tenants.length} tenants, ${format}: ${ms.toFixed(1)} ms, ${Math.round(page.length / 1_024)} kB`,
  )
}

let time = 0
const measure = createRedundancySampler({ report: () => {}, now: () => (time += 1_000), later: work => work() })
const context = Array.from({ length: 20_000 }, (_, at) => `word${at % 4_001}`).join(' ')
console.log(`redundancy of one context: ${(meanMicroseconds(200, () => measure(context)) / 1_000).toFixed(1)} ms`)
