import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Balancer, nodeNames } from '../../../../src/adapters/models/fleet/balancer.ts'
import type { FleetNode, NodeCall } from '../../../../src/adapters/models/fleet/node.ts'
import { NODE_OUTCOMES, type NodeOutcome } from '../../../../src/observe/metrics/rerank-nodes.ts'

/** What happened to one node, oldest first. */
type History = ({ at: number; call: number } & (
  | { end: null; isLastResort: boolean }
  | { end: NodeOutcome; retryAfterMs: number }
))[]

/** What a node is, worked out from all that happened to it, by the rules as they are written in docs/rerank-server.md. */
function judge(history: History, isAlone: boolean, now: number) {
  let [bad, pauseMs, pausedUntil, busyUntil] = [0, 0, 0, 0]
  let probe: number | null = null
  /** Something else than slowness is against it. */
  let unfit = false
  const leftOutAt = new Set<number>()
  const begun = new Map<number, number>()
  let times: number[] = []
  const delayMs = () => {
    if (times.length < 8) return 200
    const sorted = [...times].sort((a, b) => a - b)
    const place = 0.95 * (sorted.length - 1)
    const low = sorted[Math.floor(place)] ?? 0
    return Math.max(20, low + ((sorted[Math.ceil(place)] ?? 0) - low) * (place % 1))
  }
  for (const event of history) {
    if (event.end === null) {
      begun.set(event.call, event.at)
      if (pauseMs > 0) leftOutAt.add(event.call)
      if (pauseMs > 0 && !event.isLastResort) probe = event.call
      continue
    }
    const tookMs = event.at - (begun.get(event.call) ?? 0)
    begun.delete(event.call)
    const wasProbe = probe === event.call
    if (wasProbe) probe = null
    const isLate = event.end === 'overdue' && tookMs >= 2 * delayMs()
    if (event.end === 'answered' || event.end === 'overtaken') times = [...times, tookMs].slice(-64)
    if (event.end === 'busy') busyUntil = event.at + Math.min(500, Math.max(50, event.retryAfterMs))
    const isBroken = event.end === 'broken' && !isAlone
    const isBad = isLate || ['failed', 'broken', 'overtaken'].includes(event.end)
    if (event.end === 'failed' || event.end === 'broken' || (isLate && leftOutAt.has(event.call))) unfit = true
    if (event.end === 'answered' && (pauseMs === 0 || wasProbe)) unfit = false
    if (pauseMs > 0 && !wasProbe) continue
    if (event.end === 'answered') [bad, pauseMs] = [0, 0]
    if (isBad) bad += 1
    if (isBad && (wasProbe || isBroken || bad >= 3)) {
      pauseMs = pauseMs === 0 ? 500 : Math.min(30_000, pauseMs * 2)
      pausedUntil = event.at + pauseMs
    }
  }
  const leftOut = pauseMs > 0
  const usable = (!leftOut || (probe === null && now >= pausedUntil)) && now >= busyUntil
  const lastResort = leftOut && !usable && !unfit && now >= busyUntil
  return { leftOut, usable, lastResort, outstanding: begun.size, delayMs: delayMs() }
}

/** Calls end in ways that a run has in common: any, mostly well, or badly without breaking. */
const PROFILES: readonly (readonly NodeOutcome[])[] = [
  NODE_OUTCOMES,
  ['answered', 'answered', 'answered', 'overdue'],
  ['failed', 'overtaken', 'refused', 'given_up'],
  ['failed', 'overdue', 'busy', 'answered'],
  ['overtaken', 'overdue', 'overdue', 'answered'],
]
const WAITS_MS = [1, 7, 60, 450, 900, 31_000]

const steps = fc.constantFrom(...PROFILES).chain(outcomes =>
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constantFrom('ask', 'ask', 'retry', 'hedge', 'last resort', 'last retry') }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('end' as const),
          which: fc.nat(50),
          outcome: fc.constantFrom(...outcomes),
          retryAfterMs: fc.constantFrom(0, 100, 60_000),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(...WAITS_MS) }) },
    ),
    { minLength: 1, maxLength: 300, size: 'max' },
  ),
)

describe('the balancer', () => {
  it('does on a virtual clock what the rules say about the whole history of each node', () => {
    const runs = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      steps,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
    )
    let seen = 0
    fc.assert(
      fc.property(runs, ([count, made, chance]) => {
        let now = 0
        const urls = Array.from({ length: count }, (_, at) => `http://node-${at}`)
        const told = new Map<string, boolean>()
        const balancer = new Balancer({
          urls,
          now: () => now,
          random: () => chance.next().value ?? 0,
          onLeftOut: (node, leftOut) => void told.set(node, leftOut),
        })
        const histories = new Map<FleetNode, History>(balancer.nodes.map(node => [node, []]))
        const open: { call: NodeCall; id: number }[] = []
        let ids = 0
        let asked = 0
        let hedges = 0
        let lastResorts = 0
        const noteBegin = (call: NodeCall, isLastResort: boolean) => {
          histories.get(call.node)?.push({ at: now, call: ++ids, end: null, isLastResort })
          open.push({ call, id: ids })
        }
        /** The nodes that may be the last resort of a request that has tried these. */
        const lastResortsBut = (tried: readonly FleetNode[]) => {
          const others = balancer.nodes.filter(node => !tried.includes(node))
          const known = others.map(node => ({ node, ...judge(histories.get(node) ?? [], count === 1, now) }))
          return known.some(({ usable }) => usable) ? [] : known.filter(({ lastResort }) => lastResort)
        }
        const check = (call: NodeCall | null, tried: readonly FleetNode[]) => {
          const others = balancer.nodes.filter(node => !tried.includes(node))
          const known = others.map(node => ({ node, ...judge(histories.get(node) ?? [], count === 1, now) }))
          const usable = known.filter(node => node.usable)
          if (call === null) return expect(usable).toEqual([])
          const chosen = known.find(({ node }) => node === call.node)
          expect(chosen?.usable).toBe(true)
          expect(call.isProbe).toBe(chosen?.leftOut)
          const probes = usable.filter(node => node.leftOut)
          const healthy = usable.filter(node => !node.leftOut)
          if (tried.length === 0 && probes.length > 0) return expect(call.node).toBe(probes[0]?.node)
          if (healthy.length > 0) expect(call.isProbe).toBe(false)
          // Of two random nodes the one with fewer calls: never the busiest of all, and with two nodes the less busy one.
          const loads = (healthy.length > 0 ? healthy : usable)
            .map(({ outstanding }) => outstanding)
            .sort((a, b) => a - b)
          const most = loads.length > 1 ? loads.at(-2) : loads[0]
          expect(chosen?.outstanding).toBeLessThanOrEqual(most ?? 0)
        }
        for (const step of made) {
          if (step.kind === 'wait') now += step.ms
          else if (step.kind === 'end') {
            const [ended] = open.splice(step.which % Math.max(1, open.length), 1)
            if (ended === undefined) continue
            ended.call.end(step.outcome, step.retryAfterMs)
            histories
              .get(ended.call.node)
              ?.push({ at: now, call: ended.id, end: step.outcome, retryAfterMs: step.retryAfterMs })
          } else if (step.kind === 'last resort' || step.kind === 'last retry') {
            const tried = step.kind === 'last retry' ? open.slice(-2).map(({ call }) => call.node) : []
            const possible = lastResortsBut(tried).map(({ node }) => node)
            const call = balancer.beginLastResort(new Set(tried))
            expect(call === null).toBe(possible.length === 0)
            if (call === null) continue
            expect(possible).toContain(call.node)
            expect(call.isProbe).toBe(true)
            lastResorts++
            noteBegin(call, true)
          } else {
            const first = open.at(-1)?.call
            if (step.kind !== 'ask' && first === undefined) continue
            const tried = step.kind === 'ask' || first === undefined ? [] : [first.node]
            const call = step.kind === 'hedge' && first ? balancer.beginHedge(first) : balancer.begin(new Set(tried))
            if (step.kind === 'ask') asked++
            if (step.kind === 'hedge' && call !== null && first?.isProbe === false) hedges++
            // A hedge may also be missing because there were too many.
            if (step.kind !== 'hedge' || call !== null) check(call, tried)
            if (call !== null) noteBegin(call, false)
          }
          expect(hedges).toBeLessThanOrEqual(10 + 0.1 * asked + 1e-6)
          for (const [node, history] of histories) {
            const { leftOut, usable, lastResort, outstanding, delayMs } = judge(history, count === 1, now)
            expect([node.leftOut, node.usable, node.lastResort]).toEqual([leftOut, usable, lastResort])
            expect(node.outstanding).toBe(outstanding)
            expect(node.hedgeDelayMs).toBeCloseTo(delayMs, 6)
            expect(told.get(node.name) ?? false).toBe(leftOut)
          }
        }
        seen += lastResorts
      }),
      { numRuns: 80 },
    )
    expect(seen).toBeGreaterThan(0)
  })

  it.each([0, 8, 64])('leaves out endpoints that hang after %i quick answers, and then asks none of them', quick => {
    let now = 0
    const urls = ['http://a', 'http://b']
    const balancer = new Balancer({ urls, now: () => now, random: () => 0, onLeftOut: () => {} })
    for (let request = 0; request < 2 * quick; request++) {
      const call = balancer.nodes[request % 2]?.begin()
      now += 20
      call?.end('answered')
    }
    /** What a request waits for that has a deadline of 1.5 s, and asks each node that it may. */
    const ask = () => {
      const first = balancer.begin(new Set()) ?? balancer.beginLastResort(new Set())
      if (first === null) return 0
      const hedge = balancer.beginHedge(first)
      now += 1_500
      first.end('overdue')
      hedge?.end('overdue')
      return 1_500
    }
    const waits = Array.from({ length: 12 }, ask)
    expect(waits.slice(0, 3)).toEqual([1_500, 1_500, 1_500])
    // Later ones wait only when they are the probe of a node whose pause is over.
    expect(balancer.nodes.map(({ leftOut, lastResort }) => [leftOut, lastResort])).toEqual([
      [true, false],
      [true, false],
    ])
    expect(waits.at(-1)).toBe(0)
  })

  it('gives hedges to one request in ten in the long run, and ten at first', () => {
    const balancer = new Balancer({
      urls: ['http://a', 'http://b'],
      now: () => 0,
      random: () => 0,
      onLeftOut: () => {},
    })
    let hedges = 0
    for (let request = 0; request < 1_000; request++) {
      const first = balancer.begin(new Set())
      const second = first && balancer.beginHedge(first)
      if (second) hedges++
      second?.end('given_up')
      first?.end('answered')
    }
    expect(hedges).toBe(109)
  })

  it('names nodes by host and port, and by path where that is not enough', () => {
    expect(nodeNames(['http://u:p@a:1/rerank?key=x', 'http://b/rerank'])).toEqual(['a:1', 'b'])
    expect(nodeNames(['http://a/one', 'http://a/two'])).toEqual(['a/one', 'a/two'])
  })
})
