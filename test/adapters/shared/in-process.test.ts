import { describe, expect, test } from 'vitest'
import { createInProcessStore } from '../../support/in-process-store.ts'
import { sharedStoreContract } from '../../support/shared-store-contract.ts'

describe('the shared store in this process', () => {
  // From 1: lru-cache takes a start of 0 for no time to live.
  let ms = 1
  sharedStoreContract(async () => ({
    store: createInProcessStore({ now: () => ms }),
    wait: async milliseconds => {
      ms += milliseconds
    },
  }))
})

test('a store that is full forgets what was used least recently', async () => {
  const store = createInProcessStore({ maxBytes: 10_000 })
  const entry = (key: string) => ({ key, value: Buffer.alloc(3_000), ttlMs: 60_000 })
  await store.setMany([entry('a'), entry('b'), entry('c')])
  await store.getMany(['a'])
  await store.setMany([entry('d')])
  expect((await store.getMany(['a', 'b', 'c', 'd'])).map(value => value !== null)).toEqual([true, false, true, true])
})
