import type express from 'express'
import { beforeEach, expect, it, vi } from 'vitest'
import { beginInTurn } from '../../../src/http/tenants/turns.ts'
import { takeFreeTurn } from '../../../src/pipeline/pacing/turns.ts'
import { tenantOfName } from '../../support/tenants.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

// The turns, and what each tenant had of them, are those of the whole process: tests of other files count, so names are of this file alone.
beforeEach(async () => {
  await vi.waitFor(() => expect(takeFreeTurn()).toBe(true), { timeout: 60_000 })
  await turn()
})

/** Requests of tenants, null without one, that arrive in the same turn of the event loop. */
function arrive(tenants: (string | null)[], left: readonly number[] = []): string[] {
  const begun: string[] = []
  for (const [at, name] of tenants.entries()) {
    const tenant = name === null ? undefined : tenantOfName(`${name} of the turns`)
    const response = { locals: { tenant }, destroyed: left.includes(at) }
    const next = () => void begun.push(`${name}${at}`)
    void beginInTurn({} as express.Request, response as unknown as express.Response, next)
  }
  return begun
}

it('begins one request in each turn of the event loop, the tenants in turns', async () => {
  const begun = arrive([...Array(50).fill('a'), 'b', 'c', 'b'])
  expect(begun).toEqual(['a0'])
  await vi.waitFor(() => expect(begun).toHaveLength(53), { timeout: 60_000 })
  expect(begun.slice(1, 6)).toEqual(['a1', 'b50', 'c51', 'a2', 'b52'])
  expect(begun.filter(name => name.startsWith('a'))).toEqual(Array.from({ length: 50 }, (_, at) => `a${at}`))
  await turn()
})

it('gives the event loop a turn between two requests', async () => {
  const begun = arrive(Array(20).fill('a'))
  for (let turns = 0; begun.length < 20; turns++) {
    expect(begun.length).toBeLessThanOrEqual(turns + 1)
    await turn()
  }
  await turn()
})

it('lets no request wait that comes alone, or has no tenant', async () => {
  expect(arrive(['a'])).toEqual(['a0'])
  await turn()
  expect(arrive(['b'])).toEqual(['b0'])
  await turn()
  expect(arrive(Array(20).fill(null))).toHaveLength(20)
})

it('does not begin a request whose client has left', async () => {
  const begun = arrive(['a', 'a', 'a'], [1])
  await vi.waitFor(() => expect(begun).toEqual(['a0', 'a2']), { timeout: 60_000 })
  await turn()
})
