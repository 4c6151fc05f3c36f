import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { COLLECT_LIMITS, createCollector } from '../../../src/rollout/compare/collect.ts'
import { experimentReport } from '../../../src/rollout/compare/experiment-report.ts'
import type { ObservedRequest } from '../../../src/rollout/compare/observed-request.ts'
import { createOutcomeTable } from '../../../src/rollout/compare/outcome-table.ts'
import { pairsText } from '../../../src/rollout/compare/report-text.ts'
import { textLines } from '../../../src/rollout/compare/text-lines.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { sampleTrace } from '../../support/sample-trace.ts'

async function* chunksOf(...chunks: string[]) {
  yield* chunks
}

function collector(overrides: Partial<Parameters<typeof createCollector>[0]> = {}) {
  return createCollector({ experiment: null, since: null, ...COLLECT_LIMITS, ...overrides })
}

const assigned = (variant: string, overrides: Partial<Trace> = {}) =>
  sampleTrace({
    assignment: { experiment: 'e', variant, unit: 'session', share: variant === 'control' ? 0.9 : 0.1 },
    ...overrides,
  })
const lineOf = (trace: Trace) => `${JSON.stringify(trace)}\n`

const request = (overrides: Partial<ObservedRequest>): ObservedRequest => ({
  experiment: 'e',
  variant: 'control',
  unitId: 'u',
  share: 0.5,
  startedAt: null,
  failed: false,
  seconds: 0.1,
  recallProxy: 1,
  tokens: 10,
  id: null,
  ...overrides,
})

describe('lines of a text', () => {
  it('are the same however the text is cut into chunks', async () => {
    const text = 'one\n\ntwo 🎈\nthree'
    for (let cut = 0; cut <= text.length; cut++) {
      const lines = []
      for await (const line of textLines(chunksOf(text.slice(0, cut), text.slice(cut)))) lines.push(line)
      expect(lines.map(({ text }) => text)).toEqual(['one', '', 'two 🎈', 'three'])
      expect(lines.map(({ number, ended }) => [number, ended])).toEqual([
        [1, true],
        [2, true],
        [3, true],
        [4, false],
      ])
    }
  })
})

describe('traces', () => {
  it('count by experiment; replays, other traces, duplicates and a last line that is being written do not', async () => {
    const { readTraces, collected } = collector()
    const text = [
      lineOf(assigned('control', { trace_id: 'a', session_id: 's' })),
      lineOf(assigned('treatment', { trace_id: 'b', endpoint: 'points' })),
      lineOf(assigned('treatment', { trace_id: 'b', endpoint: 'points' })),
      lineOf(assigned('treatment', { trace_id: 'c', endpoint: 'replay' })),
      lineOf(sampleTrace({ trace_id: 'd' })),
      '{"version":3,"trace_id":"half',
    ].join('')
    await readTraces('t.jsonl', chunksOf(text))
    const table = collected.tables.get('e')
    expect([...collected.tables.keys()]).toEqual(['e'])
    expect([table?.rows.length, table?.duplicates, collected.broken]).toEqual([2, 1, 0])
    expect(table?.rows.map(({ variant, seconds }) => [variant, seconds])).toEqual([
      ['control', 0.014],
      ['treatment', 0.014],
    ])
  })

  it('that are not understood are counted, and the first are named with file and line', async () => {
    const { readTraces, collected } = collector()
    const broken = [
      'no json\n',
      '{"version":2}\n',
      lineOf(assigned('control', { recall_proxy: 7 })),
      `${JSON.stringify({ ...assigned('control'), duration_ms: null })}\n`,
      '[]\n\n',
      'x\n',
    ]
    await readTraces('t.jsonl', chunksOf(...broken))
    expect(collected.broken).toBe(6)
    expect(collected.faults).toHaveLength(5)
    expect(collected.faults[0]).toBe('t.jsonl:1: is not JSON')
    expect(collected.faults[1]).toMatch(/^t\.jsonl:2: version: /)
    expect(collected.faults[2]).toMatch(/^t\.jsonl:3: recall_proxy: /)
  })

  it('have the session, the tenant or the request as their unit, and sessions of two tenants differ', async () => {
    const { readTraces, collected } = collector()
    const unit = (unit: 'session' | 'tenant' | 'request') => ({ experiment: 'e', variant: 'control', unit, share: 0.5 })
    const traces = [
      sampleTrace({ trace_id: '1', tenant: 'a', session_id: 's', assignment: unit('session') }),
      sampleTrace({ trace_id: '2', tenant: 'a', session_id: 's', assignment: unit('session') }),
      sampleTrace({ trace_id: '3', tenant: 'b', session_id: 's', assignment: unit('session') }),
      sampleTrace({ trace_id: '4', tenant: 'a', session_id: 't', assignment: unit('tenant') }),
      sampleTrace({ trace_id: '5', tenant: 'a', session_id: 's', assignment: unit('request') }),
      sampleTrace({ trace_id: '6', tenant: 'a', session_id: null, assignment: unit('session') }),
    ]
    await readTraces('t', chunksOf(...traces.map(lineOf)))
    expect(collected.tables.get('e')?.rows.map(({ unit }) => unit)).toEqual([0, 0, 1, 2, 3, 4])
  })

  it('before a time, and of other experiments, are left out', async () => {
    const { readTraces, collected } = collector({ since: Date.parse('2026-11-21T12:00:00Z'), experiment: 'e' })
    const other = { experiment: 'f', variant: 'control', unit: 'request' as const, share: 1 }
    const traces = [
      assigned('control', { trace_id: '1', started_at: '2026-11-21T11:59:59.999Z' }),
      assigned('control', { trace_id: '2', started_at: '2026-11-21T12:00:00.000Z' }),
      assigned('control', { trace_id: '3', assignment: other }),
    ]
    await readTraces('t', chunksOf(...traces.map(lineOf)))
    expect(collected.tables.get('e')?.rows).toHaveLength(1)
    expect([...collected.others]).toEqual(['f'])
  })
})

describe('shadow pairs', () => {
  const shadow = { experiment: 's', variant: 'sentences', unit: 'request' as const, share: null }
  const [sample] = sampleTrace().candidates
  const packed = (...ids: string[]) => ids.map(id => ({ ...sample, id })) as Trace['candidates']
  const budget = (used: number) => ({ ...sampleTrace().budget, used })

  it('are joined in either order, and compared as pairs', async () => {
    const { readTraces, collected } = collector()
    const traces = [0, 1, 2, 3].flatMap(number => {
      const answer = sampleTrace({ trace_id: `a${number}`, budget: budget(100 * number), candidates: packed('x', 'y') })
      const second = {
        ...answer,
        trace_id: `b${number}`,
        shadow_of: `a${number}`,
        assignment: shadow,
        budget: budget(100 * number + 10 + (number % 2)),
        candidates: packed('y', 'z'),
      }
      return number % 2 === 0 ? [answer, second] : [second, answer]
    })
    await readTraces('t', chunksOf(...traces.map(lineOf)))
    const [report] = collected.pairs.reports()
    expect(report).toMatchObject({ experiment: 's', variant: 'sentences', pairs: 4 })
    const [tokens, seconds, overlap] = report?.differences ?? []
    // Differences 10, 11, 10, 11: mean 10.5, standard error .2887, t(.975, 3) = 3.182.
    expect(tokens).toMatchObject({ measure: 'tokens', mean: 10.5, control: 150, treatment: 160.5 })
    expect(tokens?.low).toBeCloseTo(10.5 - 3.1824 * 0.28868, 3)
    expect(seconds).toMatchObject({ measure: 'seconds', mean: 0, p: 1 })
    expect(overlap?.mean).toBeCloseTo(1 / 3, 9)
    expect(collected.pairs.single).toBe(0)
    expect(collected.tables.size).toBe(0)
  })

  it('that differ in their degradations, or whose answer had a treatment, are counted', async () => {
    const { readTraces, collected } = collector()
    const late = { code: 'reranker_failed', detail: 'the deadline passed' } as const
    const missing = { code: 'embedder_unavailable', detail: 'no model' } as const
    const pairOf = (number: number, degraded: [Trace['degraded'], Trace['degraded']], answered: Trace) => [
      { ...answered, trace_id: `a${number}`, degraded: degraded[0] },
      { ...answered, trace_id: `b${number}`, shadow_of: `a${number}`, assignment: shadow, degraded: degraded[1] },
    ]
    const traces = [
      ...pairOf(0, [[], []], sampleTrace()),
      ...pairOf(
        1,
        [
          [late, missing, late],
          [missing, late],
        ],
        assigned('control'),
      ),
      ...pairOf(2, [[late], []], assigned('treatment')),
      ...pairOf(3, [[], [late]], sampleTrace()),
    ]
    await readTraces('t', chunksOf(...traces.map(lineOf)))
    const [report] = collected.pairs.reports()
    expect(report).toMatchObject({ pairs: 4, unlikeDegraded: 2, treated: 1 })
    const text = report ? pairsText(report) : ''
    expect(text).toContain('note: in 2 of 4 pairs the two runs differ in their degradations')
    expect(text).toContain('note: 1 of 4 answers had the treatment of an experiment')
    expect(text).toContain('may reuse what was fetched')
  })

  it('whose answer does not come are counted, in bounded memory', async () => {
    const { readTraces, collected } = collector({ mostWaiting: 3 })
    const traces = Array.from({ length: 10 }, (_, number) =>
      sampleTrace({ trace_id: `b${number}`, shadow_of: `a${number}`, assignment: shadow }),
    )
    await readTraces('t', chunksOf(...traces.map(lineOf)))
    expect(collected.pairs.single).toBe(10)
    await readTraces('t', chunksOf(lineOf(sampleTrace({ trace_id: 'a0' })), lineOf(sampleTrace({ trace_id: 'a9' }))))
    expect(collected.pairs.reports()).toMatchObject([{ pairs: 1, differences: [] }])
  })
})

describe('the table of an experiment', () => {
  it('takes any number of requests with no more rows than allowed, and keeps whole units', () => {
    const table = createOutcomeTable(1_000)
    const random = seededRandom(2)
    const sizes = new Map<string, number>()
    let highest = 0
    for (let number = 0; number < 100_000; number++) {
      // A few units return again and again: most of the rows that come are of units that were forgotten.
      const unitId = `unit ${Math.floor(random() ** 2 * 5_000)}`
      sizes.set(unitId, (sizes.get(unitId) ?? 0) + 1)
      table.add(request({ unitId, seconds: Number(unitId.slice(5)) }))
      highest = Math.max(highest, table.rows.length)
    }
    expect(highest).toBeLessThanOrEqual(1_000)
    expect(table.keptShare).toBeLessThan(0.05)
    expect(table.rows.length).toBeGreaterThan(100)
    const kept = new Map<number, number>()
    for (const { seconds } of table.rows) kept.set(seconds, (kept.get(seconds) ?? 0) + 1)
    for (const [unit, count] of kept) expect(count).toBe(sizes.get(`unit ${unit}`))
  })

  it('compares only what came after the last change of the shares', () => {
    const table = createOutcomeTable(10_000)
    for (let number = 0; number < 400; number++) {
      const isLate = number >= 300
      const isTreatment = isLate ? number % 2 === 0 : number % 10 === 0
      const treatmentShare = isLate ? 0.5 : 0.1
      table.add(
        request({
          unitId: `u${number}`,
          variant: isTreatment ? 'treatment' : 'control',
          share: isTreatment ? treatmentShare : 1 - treatmentShare,
          startedAt: 1_000 + number,
          // The traffic was slower before, when nearly all of it was of the control.
          seconds: isLate ? 0.1 : 1,
        }),
      )
    }
    const report = experimentReport('e', table, null)
    expect(report).toMatchObject({ beforeChange: 300, control: { units: 50 } })
    expect(report.treatments[0]?.lifts.find(({ measure }) => measure === 'p50_seconds')?.lift).toBe(0)
    expect(report.sampleRatio?.p).toBeCloseTo(1, 9)
    // By hand the whole is compared, and the split does not fit the share that was told.
    expect(experimentReport('e', table, 0.5)).toMatchObject({
      beforeChange: 0,
      treatments: [{ verdict: 'do not trust' }],
    })
  })

  it('leaves out what was answered while everyone got the control, and counts units of several variants', () => {
    const table = createOutcomeTable(10_000)
    for (let number = 0; number < 60; number++) {
      table.add(
        request({ unitId: `u${number % 30}`, variant: number < 30 ? 'control' : 'treatment', startedAt: number }),
      )
      table.add(request({ unitId: `v${number}`, share: 1, startedAt: 100 + number }))
    }
    expect(experimentReport('e', table, null)).toMatchObject({
      whileControlOnly: 60,
      beforeChange: 0,
      unitsInSeveralVariants: 30,
      control: { units: 30 },
    })
  })

  it('without a control, or without a treatment, has no verdict but too little data', () => {
    const only = (variant: string) => {
      const table = createOutcomeTable(100)
      for (let number = 0; number < 40; number++) table.add(request({ unitId: `u${number}`, variant, share: null }))
      return experimentReport('e', table, null)
    }
    expect(only('treatment').treatments).toMatchObject([{ verdict: 'not enough data', lifts: [] }])
    expect(only('control')).toMatchObject({ treatments: [], sampleRatio: null })
  })
})
