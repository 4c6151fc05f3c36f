import { describe, expect, test, vi } from 'vitest'
import type { ContextKeyParts } from '../../../src/pipeline/services.ts'
import { createInProcessStore } from '../../support/in-process-store.ts'
import { answerOf, breakable, openReplica } from './support/replica.ts'

const PARTS: ContextKeyParts = {
  tenant: 'acme',
  apiKey: 'k',
  condition: null,
  request: { query: 'q' },
  filter: { must: [{ has_id: [18446744073709551615n] }] },
  collections: ['docs'],
  planFingerprint: 'p',
  models: ['e5', null],
}

type Replica = ReturnType<typeof openReplica>

async function keyOf({ answers }: Replica, parts: Partial<ContextKeyParts> = {}): Promise<string> {
  return (await answers.key({ ...PARTS, ...parts })) ?? ''
}

/** Resolves when what was put is in the store. */
async function put(replica: Replica, key: string, text: string): Promise<void> {
  const stored = () => replica.used.filter(({ kind, operation }) => kind === 'answers' && operation === 'write').length
  const before = stored()
  replica.answers.put(key, answerOf(text))
  await vi.waitFor(() => expect(stored()).toBe(before + 1), { interval: 1 })
}

async function textOf({ answers }: Replica, key: string): Promise<string | undefined> {
  return (await answers.get(key))?.response.context
}

test('an answer of one replica is that of the other, byte for byte, and then in its own memory', async () => {
  const store = createInProcessStore()
  const [a, b] = [openReplica(store), openReplica(store)]
  const answer = answerOf('naïve café — 北京 \u0000 "quoted"')
  const [candidate] = answer.trace.candidates
  if (candidate) candidate.id = 18446744073709551615n
  await keyOf(a).then(key => {
    a.answers.put(key, answer)
  })
  const key = await keyOf(b)
  await vi.waitFor(async () => expect(await b.answers.get(key)).toEqual(answer), { interval: 1 })
  const reads = b.used.length
  expect(await b.answers.get(key)).toEqual(answer)
  expect(b.used).toHaveLength(reads)
})

describe('a write', () => {
  test.each(['a', 'b'] as const)('seen by replica %s hides the answers of both', async writer => {
    const store = createInProcessStore()
    const replicas = { a: openReplica(store), b: openReplica(store) }
    const { a, b } = replicas
    await put(a, await keyOf(a), 'before')
    expect(await textOf(b, await keyOf(b))).toBe('before')
    await replicas[writer].answers.bumpEpoch('docs')
    for (const replica of [a, b]) expect(await textOf(replica, await keyOf(replica))).toBeUndefined()
  })

  test('to all collections hides all answers; one to another collection hides none', async () => {
    const store = createInProcessStore()
    const [a, b] = [openReplica(store), openReplica(store)]
    await put(a, await keyOf(a), 'kept')
    await b.answers.bumpEpoch('others')
    expect(await textOf(b, await keyOf(b))).toBe('kept')
    await b.answers.bumpEpoch(null)
    expect(await textOf(a, await keyOf(a))).toBeUndefined()
  })

  test('during a request hides its answer from everybody', async () => {
    const store = createInProcessStore()
    const [a, b] = [openReplica(store), openReplica(store)]
    const key = await keyOf(a)
    await b.answers.bumpEpoch('docs')
    await put(a, key, 'overtaken')
    for (const replica of [a, b]) expect(await textOf(replica, await keyOf(replica))).toBeUndefined()
  })

  test('while the store is away is told as soon as it is there again', async () => {
    const shared = createInProcessStore()
    const { store, state } = breakable(shared)
    const [a, b] = [openReplica(store), openReplica(shared)]
    await put(a, await keyOf(a), 'before')
    expect(await textOf(b, await keyOf(b))).toBe('before')
    state.isAway = true
    await a.answers.bumpEpoch('docs')
    expect(await textOf(a, await keyOf(a))).toBeUndefined()
    state.isAway = false
    await vi.waitFor(async () => {
      await keyOf(a)
      expect(await textOf(b, await keyOf(b))).toBeUndefined()
    })
    await a.close()
  })

  test('of another replica is not missed when this one goes alone for the second time', async () => {
    const shared = createInProcessStore()
    const { store, state } = breakable(shared)
    const [a, b] = [openReplica(shared), openReplica(store)]
    const goAlone = async () => {
      state.isAway = true
      await keyOf(b)
    }
    const comeBack = async () => {
      state.isAway = false
      await vi.waitFor(async () => expect((await keyOf(b)).endsWith(' ')).toBe(false))
    }
    await goAlone()
    b.answers.put(await keyOf(b), answerOf('alone'))
    expect(await textOf(b, await keyOf(b))).toBe('alone')
    await comeBack()
    await a.answers.bumpEpoch('docs')
    await goAlone()
    expect(await textOf(b, await keyOf(b))).toBeUndefined()
    await b.close()
  })
})

test('a store that has lost everything never brings an older answer back', async () => {
  const first = createInProcessStore()
  const a = openReplica(first)
  await put(a, await keyOf(a), 'old')
  await a.answers.bumpEpoch('docs')
  await keyOf(a)
  await first.close()
  expect(await textOf(a, await keyOf(a))).toBeUndefined()
})

test.each([
  ['no JSON', 'no JSON'],
  ['another type', '[1]'],
  ['an answer of another version', '{"response":{"context":"text","chunks":7},"trace":{}}'],
  ['nothing', ''],
])('a value that is %s is ignored and counted', async (_, text) => {
  const store = createInProcessStore()
  const a = openReplica(store)
  const key = await keyOf(a)
  const [, shared = ''] = key.split(' ')
  for (const marker of [0, 1, 9]) {
    const value = Buffer.concat([Buffer.from([marker]), Buffer.from(text)])
    await store.setMany([{ key: shared, value, ttlMs: 60_000 }])
    expect(await a.answers.get(key)).toBeNull()
    expect(a.used.at(-1)).toEqual({ operation: 'read', kind: 'answers', result: 'unreadable', count: 1 })
  }
})

test('an answer that is too large is not shared, and found by the replica that has it', async () => {
  const store = createInProcessStore()
  const a = openReplica(store)
  const key = await keyOf(a)
  await put(a, key, Array.from({ length: 120_000 }, (_, at) => Math.sin(at).toString(36)).join(''))
  expect(a.used.at(-1)).toMatchObject({ kind: 'answers', result: 'too_large' })
  expect((await store.getMany([key.split(' ')[1] ?? '']))[0]).toBeNull()
})
