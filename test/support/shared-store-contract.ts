import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LARGEST_VALUE, LONGEST_KEY, type SharedStore } from '../../src/core/shared-store.ts'

/** A store that is tested, and how time passes for it. */
export interface OpenedStore {
  store: SharedStore
  /** Lets so many milliseconds pass. */
  wait(milliseconds: number): Promise<void>
}

const bytesOf = (text: string) => Buffer.from(text)
const HOUR_MS = 3_600_000

/** What every shared store does. Call it inside of a `describe`. */
export function sharedStoreContract(open: () => Promise<OpenedStore>): void {
  let opened: OpenedStore
  let tests = 0
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.store.close())
  /** Keys of one test. */
  const own = () => {
    const number = tests++
    return (name: string) => `${number} ${name}`
  }
  const textsOf = async (keys: string[]) =>
    (await opened.store.getMany(keys)).map(value => value && Buffer.from(value).toString())

  test('gives back the bytes of the newest value, in the order of the keys, like a map', async () => {
    const command = fc.record({
      kind: fc.constantFrom('set', 'delete', 'get'),
      entries: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'é\n*'), fc.uint8Array({ maxLength: 40 })), {
        maxLength: 5,
      }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 12 }), async commands => {
        const key = own()
        const expected = new Map<string, Uint8Array>()
        for (const { kind, entries } of commands) {
          const names = [...new Set(entries.map(([name]) => name))]
          if (kind === 'set') {
            const newest = new Map(entries)
            await opened.store.setMany([...newest].map(([name, value]) => ({ key: key(name), value, ttlMs: HOUR_MS })))
            for (const [name, value] of newest) expected.set(name, value)
          } else if (kind === 'delete') {
            await opened.store.deleteMany(names.map(key))
            for (const name of names) expected.delete(name)
          } else {
            const found = await opened.store.getMany(names.map(key))
            expect(found.map(value => value && Buffer.from(value).toString('hex'))).toEqual(
              names.map(name => expected.get(name)).map(value => (value ? Buffer.from(value).toString('hex') : null)),
            )
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  test('forgets a value when its time has passed, and one that was stored again only after the new time', async () => {
    const key = own()
    await opened.store.setMany([
      { key: key('short'), value: bytesOf('1'), ttlMs: 40 },
      { key: key('long'), value: bytesOf('2'), ttlMs: HOUR_MS },
      { key: key('renewed'), value: bytesOf('3'), ttlMs: 40 },
      { key: key('renewed'), value: bytesOf('4'), ttlMs: HOUR_MS },
    ])
    await opened.wait(60)
    expect(await textsOf([key('short'), key('long'), key('renewed')])).toEqual([null, '2', '4'])
  })

  test('keeps the longest key and the largest value', async () => {
    const key = own()('').padEnd(LONGEST_KEY, 'k')
    const value = Buffer.alloc(LARGEST_VALUE, 7)
    await opened.store.setMany([{ key, value, ttlMs: HOUR_MS }])
    expect(Buffer.from((await opened.store.getMany([key]))[0] ?? []).equals(value)).toBe(true)
  })

  test('does nothing for no keys', async () => {
    expect(await opened.store.getMany([])).toEqual([])
    await opened.store.setMany([])
    await opened.store.deleteMany([])
  })

  test('gives as many tokens as the bucket holds, and then says how long to wait', async () => {
    const key = own()('bucket')
    const rate = { perSecond: 10, burst: 5 }
    const waits = await Promise.all(Array.from({ length: 8 }, () => opened.store.takeToken(key, rate)))
    expect(waits.filter(wait => wait === 0)).toHaveLength(5)
    for (const wait of waits.slice(5)) expect(wait).toSatisfy((ms: number) => ms > 0 && ms <= 100)
    await opened.wait(waits[7] ?? 0)
    expect(await opened.store.takeToken(key, rate)).toBe(0)
  })

  test('gives tokens of different keys apart', async () => {
    const key = own()
    const rate = { perSecond: 0.001, burst: 1 }
    expect(await opened.store.takeToken(key('a'), rate)).toBe(0)
    expect(await opened.store.takeToken(key('b'), rate)).toBe(0)
    expect(await opened.store.takeToken(key('a'), rate)).toSatisfy((ms: number) => ms > 900_000 && ms <= 1_000_000)
  })

  test('keeps the tokens of a bucket whose rate changes', async () => {
    const key = own()('bucket')
    for (let taken = 0; taken < 8; taken++) await opened.store.takeToken(key, { perSecond: 0.001, burst: 10 })
    const waits = []
    for (let taken = 0; taken < 3; taken++)
      waits.push(await opened.store.takeToken(key, { perSecond: 0.002, burst: 20 }))
    expect(waits.map(wait => wait === 0)).toEqual([true, true, false])
  })
}
