import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAdmission } from '../../src/drop-in/admission.ts'

/** The room of ten attempts of the first guess of their work. */
const ROOM_MS = 100
const BOUND = 10

/** Enters until there is no more room. @returns the ends of the attempts */
function fill(admit: ReturnType<typeof createAdmission>, tenant: string | null): ((workedMs: number) => void)[] {
  const entered = []
  for (let leave = admit(tenant); leave !== null; leave = admit(tenant)) entered.push(leave)
  return entered
}

describe('the admission of improving', () => {
  it('leaves a tenant its share, however many attempts of another are in flight', () => {
    const admit = createAdmission(ROOM_MS)
    expect(fill(admit, 'a')).toHaveLength(BOUND)
    expect(fill(admit, 'b')).toHaveLength(5)
    expect(fill(admit, 'c')).toHaveLength(3)
    expect(admit('a')).toBeNull()
  })

  it('gives one tenant all of the room, as without tenants', () => {
    for (const tenant of [null, 'a']) {
      const admit = createAdmission(ROOM_MS)
      for (const leave of fill(admit, tenant)) leave(0)
      expect(fill(admit, tenant)).toHaveLength(BOUND)
    }
  })

  it('never refuses a tenant below its share, never admits one beyond both bounds, and stays bounded', () => {
    const tenants = fc.constantFrom<string | null>(null, 'a', 'b', 'c', 'd')
    fc.assert(
      fc.property(fc.array(fc.record({ tenant: tenants, enter: fc.boolean() }), { maxLength: 200 }), steps => {
        const admit = createAdmission(ROOM_MS)
        const running: { tenant: string | null; leave: (workedMs: number) => void }[] = []
        const most = [1, 2, 3, 4, 5].reduce((sum, among) => sum + BOUND / among, 0)
        for (const { tenant, enter } of steps) {
          if (!enter) {
            const at = running.findIndex(attempt => attempt.tenant === tenant)
            if (at >= 0) running.splice(at, 1)[0]?.leave(0)
            continue
          }
          const own = running.filter(attempt => attempt.tenant === tenant).length
          const among = new Set([...running.map(attempt => attempt.tenant), tenant]).size
          const leave = admit(tenant)
          expect(leave !== null).toBe(running.length < BOUND || own + 1 <= BOUND / among)
          if (leave !== null) running.push({ tenant, leave })
          expect(running.length).toBeLessThanOrEqual(most)
        }
      }),
      { numRuns: 300 },
    )
  })
})
