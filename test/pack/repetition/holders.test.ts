import fc from 'fast-check'
import { expect, it } from 'vitest'
import { raiseHolders } from '../../../src/pack/repetition/holders.ts'
import { candidate } from '../../support/candidates.ts'

it('what holds text of a kept unit is never among the weakest that are removed', () => {
  const rows = fc.array(fc.record({ marginal: fc.nat(5), holders: fc.uniqueArray(fc.nat(20), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 14,
  })
  fc.assert(
    fc.property(rows, fc.nat(14), (drawn, removed) => {
      const units = drawn.map(({ marginal, holders }, at) => ({
        unit: { candidate: candidate({ id: at }) },
        marginal,
        holders: new Set(at === 0 ? [] : holders.map(holder => candidate({ id: holder % at }).key)),
      }))
      const raised = raiseHolders(units)
      for (const [at, { marginal }] of raised.entries())
        expect(marginal).toBeGreaterThanOrEqual(units[at]?.marginal ?? 0)
      // As packing removes them: the lowest marginal values first, of equals the last selected.
      const kept = [...raised]
        .reverse()
        .sort((a, b) => a.marginal - b.marginal)
        .slice(removed)
      const keys = new Set(kept.map(({ unit }) => unit.candidate.key))
      for (const { holders } of kept) for (const holder of holders ?? []) expect(keys).toContain(holder)
    }),
  )
})
