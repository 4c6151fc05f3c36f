import fc from 'fast-check'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createMetricsSum, type Snapshot } from '../../src/cluster/metrics-sum.ts'
import { createMetrics } from '../../src/observe/metrics.ts'

/** The metrics of a process: a counter by label, a histogram, a gauge of which the largest counts, and one that is added. */
function createProcess() {
  const registers = [new Registry()]
  const counter = new Counter({ name: 'c_total', help: 'h', labelNames: ['label'], registers })
  const histogram = new Histogram({ name: 'h', help: 'h', buckets: [1, 2], registers })
  const largest = new Gauge({ name: 'largest', help: 'h', aggregator: 'max', registers })
  const added = new Gauge({ name: 'added', help: 'h', registers })
  const json = async () => (await registers[0]?.getMetricsAsJSON()) as Snapshot
  return { counter, histogram, largest, added, json }
}

const sampleOf = (page: string, series: string) =>
  Number(new RegExp(`^${series} (.+)$`, 'mu').exec(page)?.[1] ?? Number.NaN)

const event = fc.record({
  process: fc.nat(2),
  what: fc.constantFrom('count', 'observe', 'set', 'scrape', 'end'),
  value: fc.integer({ min: 1, max: 9 }),
})

describe('the sum of the metrics of processes', () => {
  it('is that of all that was counted, also by processes that have ended since the last scrape', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async events => {
        const sum = createMetricsSum()
        const processes = new Map<number, ReturnType<typeof createProcess>>()
        const ids = new Map<number, number>()
        const gauges = new Map<number, number>()
        const naive = { counted: 0, observed: 0, seconds: 0 }
        let nextId = 0
        const processAt = (place: number) => {
          const process = processes.get(place) ?? createProcess()
          if (!processes.has(place)) ids.set(place, nextId++)
          processes.set(place, process)
          return process
        }
        const scrape = async () => {
          for (const [place, process] of processes) sum.keep(ids.get(place) ?? 0, structuredClone(await process.json()))
          return sum.print(false)
        }
        for (const { process: place, what, value } of events) {
          const process = processAt(place)
          if (what === 'count') {
            process.counter.inc({ label: 'x' }, value)
            naive.counted += value
          } else if (what === 'observe') {
            process.histogram.observe(value / 4)
            naive.observed++
            naive.seconds += value / 4
          } else if (what === 'set') {
            process.largest.set(value)
            process.added.set(value)
            gauges.set(place, value)
          } else {
            const page = await scrape()
            if (naive.counted > 0) expect(sampleOf(page, 'c_total\\{label="x"\\}')).toBe(naive.counted)
            expect(sampleOf(page, 'h_count')).toBe(naive.observed)
            expect(sampleOf(page, 'h_sum')).toBeCloseTo(naive.seconds)
            const values = [...processes.keys()].map(at => gauges.get(at) ?? 0)
            expect(sampleOf(page, 'added')).toBe(values.reduce((one, other) => one + other, 0))
            expect(sampleOf(page, 'largest')).toBe(Math.max(...values))
          }
          if (what !== 'end') continue
          sum.retire(ids.get(place) ?? 0)
          processes.delete(place)
          gauges.delete(place)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('knows of every metric of stowage how several become one, and prints both formats', async () => {
    const sum = createMetricsSum()
    const [first, second] = [createMetrics({ version: '1' }), createMetrics({ version: '1' })]
    first.requestSeconds.observe({ labels: { endpoint: 'context' }, value: 0.2, exemplarLabels: { trace_id: 'old' } })
    await new Promise(resolve => setTimeout(resolve, 2))
    second.requestSeconds.observe({ labels: { endpoint: 'context' }, value: 0.2, exemplarLabels: { trace_id: 'new' } })
    first.modelUnavailable.set({ model: 'reranker' }, 1)
    second.modelUnavailable.set({ model: 'reranker' }, 1)
    for (const [at, { registry }] of [first, second].entries())
      sum.keep(at, structuredClone(await registry.getMetricsAsJSON()) as Snapshot)
    const [text, open] = [await sum.print(false), await sum.print(true)]
    const namesOf = (page: string) => [...page.matchAll(/^# TYPE (\S+) /gmu)].map(([, name]) => name)
    expect(namesOf(text).sort()).toEqual(namesOf(await first.registry.metrics()).sort())
    expect(namesOf(open).sort()).toEqual(namesOf(await first.openMetrics.metrics()).sort())
    expect(text).toContain('stowage_model_unavailable{model="reranker"} 1\n')
    expect(text).toContain('stowage_workers 2\n')
    expect(text).not.toContain('trace_id')
    expect(open).toMatch(/_bucket\{le="0.25",endpoint="context"\} 2 # \{trace_id="new"\} 0.2 /u)
    expect(open).toMatch(/\n# EOF\n$/u)
  })
})
