import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../src/core/work/fair-queue.ts'

const tenants = fc.constantFrom<string | null>(null, 'a', 'b', 'c')
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('push' as const), tenant: tenants }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), tenant: tenants }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), tenant: tenants, at: fc.nat(20) }) },
  ),
  { maxLength: 120 },
)

/** The same as a list: it serves the tenant that was served, or came, longest ago. */
class NaiveQueue {
  items: { tenant: string | null; item: number }[] = []
  turns: (string | null)[] = []

  push(tenant: string | null, item: number): void {
    if (!this.turns.includes(tenant)) this.turns.push(tenant)
    this.items.push({ tenant, item })
  }

  take(): number | undefined {
    const tenant = this.turns.shift()
    const at = this.items.findIndex(entry => entry.tenant === tenant)
    if (tenant === undefined || at < 0) return undefined
    const [taken] = this.items.splice(at, 1)
    if (this.items.some(entry => entry.tenant === tenant)) this.turns.push(tenant)
    return taken?.item
  }

  delete(tenant: string | null, item: number): boolean {
    const before = this.items.length
    this.items = this.items.filter(entry => entry.tenant !== tenant || entry.item !== item)
    if (!this.items.some(entry => entry.tenant === tenant)) this.turns = this.turns.filter(turn => turn !== tenant)
    return this.items.length < before
  }
}

describe('the fair queue', () => {
  it('does what a naive list does, and knows its sizes', () => {
    fc.assert(
      fc.property(steps, taken => {
        const queue = new FairQueue<number>()
        const naive = new NaiveQueue()
        for (const [item, step] of taken.entries()) {
          if (step.kind === 'push') {
            queue.push(step.tenant, item)
            naive.push(step.tenant, item)
          } else if (step.kind === 'take') expect(queue.take()).toBe(naive.take())
          else expect(queue.delete(step.tenant, step.at)).toBe(naive.delete(step.tenant, step.at))
          expect(queue.size).toBe(naive.items.length)
          for (const tenant of [null, 'a', 'b', 'c'])
            expect(queue.sizeOf(tenant)).toBe(naive.items.filter(entry => entry.tenant === tenant).length)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('serves an item after at most one of each other tenant for each of its own, and after no more than it says', () => {
    fc.assert(
      fc.property(steps, tenants, fc.array(tenants, { maxLength: 80 }), (before, tenant, after) => {
        const queue = new FairQueue<string>()
        for (const [at, step] of before.entries()) {
          if (step.kind === 'push') queue.push(step.tenant, `${step.tenant}:${at}`)
          else if (step.kind === 'take') queue.take()
        }
        const promised = queue.ahead(tenant)
        const own = queue.sizeOf(tenant)
        queue.push(tenant, 'watched')
        const served: string[] = []
        // Others go on to come while it waits.
        const coming = [...after]
        for (let next = queue.take(); next !== 'watched'; next = queue.take()) {
          served.push(next ?? 'nothing')
          const comes = coming.shift()
          if (comes !== undefined && comes !== tenant) queue.push(comes, `${comes}:later${coming.length}`)
        }
        expect(served).not.toContain('nothing')
        for (const other of [null, 'a', 'b', 'c'].filter(other => other !== tenant))
          expect(served.filter(item => item.startsWith(`${other}:`)).length).toBeLessThanOrEqual(own + 1)
        if (after.length === 0) expect(served.length).toBeLessThanOrEqual(promised)
      }),
      { numRuns: 500 },
    )
  })

  it('promises exactly what happens when no others come and the tenant is new', () => {
    fc.assert(
      fc.property(fc.array(tenants, { maxLength: 60 }), pushes => {
        const queue = new FairQueue<string>()
        for (const [at, tenant] of pushes.entries()) queue.push(tenant, `${at}`)
        const promised = queue.ahead('new')
        queue.push('new', 'watched')
        let served = 0
        while (queue.take() !== 'watched') served++
        expect(served).toBe(promised)
      }),
    )
  })
})
