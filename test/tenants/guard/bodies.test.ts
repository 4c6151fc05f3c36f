import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LOOKUP_COLLECTION, LOOKUP_IDS, OWN_IDS, parseSpelled, printed, READS, WRITES } from './support/bodies.ts'
import { guardOne } from './support/guard-one.ts'
import { CONDITION, naivelyGuarded, naivelyGuardedWrite, numbersIn } from './support/naive-guard.ts'

describe('a read', () => {
  it.each(Object.entries(READS))(
    '%s has the condition in every filter, and nothing else changes',
    (operation, body) => {
      fc.assert(
        fc.property(printed(body), ({ value, text }) => {
          expect(parseSpelled(guardOne(operation, text).body ?? '')).toEqual(naivelyGuarded(value))
        }),
      )
    },
  )

  it.each(Object.entries(READS))('%s checks exactly the ids whose vectors it uses', (operation, body) => {
    fc.assert(
      fc.property(printed(body), ({ value, text }) => {
        const checks = guardOne(operation, text).checks.map(({ collection, filter, count, refusal }) => {
          expect(refusal.code).toBe('not_found')
          const { must } = JSON.parse(filter)
          expect(must).toEqual([CONDITION, { has_id: expect.any(Array) }])
          expect(must[1].has_id).toHaveLength(count)
          return [collection, [...must[1].has_id].sort()]
        })
        const used = [
          ['shared', numbersIn(value, OWN_IDS).sort()],
          [LOOKUP_COLLECTION, numbersIn(value, LOOKUP_IDS).sort()],
        ].filter(([, ids]) => ids?.length !== 0)
        expect(Object.fromEntries(checks)).toEqual(Object.fromEntries(used))
      }),
    )
  })
})

describe('a write', () => {
  it.each(Object.entries(WRITES))('%s in a batch is kept to points of the tenant', (operation, body) => {
    fc.assert(
      fc.property(printed(body.map(one => ({ operations: [{ [operation]: one }] }))), ({ value, text }) => {
        const [first] = (value as { operations: Record<string, never>[] }).operations
        const sentAs = operation === 'clear_payload' ? 'overwrite_payload' : operation
        const expected = { operations: [{ [sentAs]: naivelyGuardedWrite(operation, first?.[operation] ?? null) }] }
        expect(parseSpelled(guardOne('batch_update', text).body ?? '')).toEqual(expected)
      }),
    )
  })

  it.each(Object.entries(WRITES))('%s by its own route is what it is in a batch', (operation, body) => {
    const own = { upsert: 'upsert_points', delete: 'delete_points' }[operation] ?? operation
    fc.assert(
      fc.property(printed(body), ({ text }) => {
        const alone = guardOne(own, text)
        const batch = guardOne('batch_update', `{"operations":[{"${operation}":${text}}]}`)
        const sentAs = operation === 'clear_payload' ? 'overwrite_payload' : operation
        expect(batch.body).toBe(`{"operations":[{"${sentAs}":${alone.body}}]}`)
        expect(batch.checks).toEqual(alone.checks)
      }),
    )
  })
})
