import { describe, expect, it } from 'vitest'
import { type AcceptedContent, keepReloading, openReloading } from '../../src/adapters/reload.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { readTenantsFile } from '../../src/tenants/file/read.ts'
import type { TenantDirectory } from '../../src/tenants/tenant.ts'
import { tenantsNow } from '../../src/wiring/tenants.ts'
import { declared, directoryOf } from '../tenants/support/read-file.ts'

const fileOf = (...names: string[]) =>
  JSON.stringify({ tenants: Object.assign({}, ...names.map(name => declared(name))) })

/** Tenants of a file in memory, with a clock that a test moves. */
function openFile(first: string) {
  const file: { content: string | Error } = { content: first }
  const changes: (readonly string[] | null)[] = []
  const timers: { ms: number; run: () => void }[] = []
  let reads = 0
  const reloaded = keepReloading<TenantDirectory>({
    start: { value: directoryOf(JSON.parse(first).tenants), bytes: Buffer.from(first) },
    readBytes: async () => {
      reads++
      if (file.content instanceof Error) throw file.content
      return Buffer.from(file.content)
    },
    read: bytes => {
      const { directory, faults } = readTenantsFile(bytes, 'json', { plan: NAMED_PLANS.measured, environment: {} })
      return directory === null ? { value: null, faults } : { value: directory, faults: null }
    },
    onChange: ({ faults }) => changes.push(faults),
    startTimer: (ms, run) => {
      const timer = { ms, run }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  })
  const tenants = tenantsNow(reloaded)
  return {
    file,
    tenants,
    changes,
    timers,
    reads: () => reads,
    names: () => tenants.tenants.map(({ name }) => name).join(),
    /** Lets the next look happen. */
    async look() {
      const before = reads
      timers.shift()?.run()
      while (timers.length === 0) await new Promise(resolve => setImmediate(resolve))
      return reads - before
    },
  }
}

it('takes a change at the second look that finds it, because a file may be written slowly', async () => {
  const { file, tenants, changes, names, look, timers } = openFile(fileOf('a'))
  expect(timers).toMatchObject([{ ms: 2_000 }])
  file.content = fileOf('b')
  await look()
  expect([names(), changes]).toEqual(['a', []])
  file.content = fileOf('b', 'c')
  await look()
  expect(names()).toBe('a')
  await look()
  expect([names(), changes]).toEqual(['b,c', [null]])
  expect(tenants.find('key of b')?.name).toBe('b')
  expect(tenants.find('key of a')).toBeNull()
  await look()
  expect(changes).toHaveLength(1)
})

it('takes a change at once when it is told to, by a signal', async () => {
  const { file, tenants, names } = openFile(fileOf('a'))
  file.content = fileOf('b')
  await tenants.reload()
  expect(names()).toBe('b')
})

it.each<[string, string | Error, RegExp]>([
  ['has faults', '{"tenants":{"b":5}}', /tenants\.b=5: must be a mapping/],
  ['is no JSON', '{', /is not JSON/],
  ['is empty', '', /is not JSON/],
  ['cannot be read', new Error('ENOENT: no such file'), /^cannot be read: ENOENT/],
])(
  'a file that %s changes nothing, is reported once, and is replaced by a right one',
  async (_name, content, fault) => {
    const { file, tenants, changes, names, look } = openFile(fileOf('a'))
    file.content = content
    await look()
    for (let looks = 0; looks < 3; looks++) await look()
    expect([names(), changes.length]).toEqual(['a', 1])
    expect(changes[0]?.[0]).toMatch(fault)
    expect(tenants.refusal).toEqual(changes[0])
    // Also the content of before is a change then.
    file.content = fileOf('a')
    await look()
    await look()
    expect([names(), changes.length, tenants.refusal]).toEqual(['a', 2, null])
  },
)

it('a tenant stays as it was found, whatever the file says meanwhile', async () => {
  const { file, tenants } = openFile(fileOf('a'))
  const found = tenants.find('key of a')
  file.content = JSON.stringify({ tenants: declared('a', { collections: ['other'], value: 'other' }) })
  await tenants.reload()
  expect([found?.reaches('docs'), found?.reaches('other')]).toEqual([true, false])
  expect(found?.condition).toEqual({ must: [{ key: 'tenant', match: { value: 'a' } }] })
  expect(() => Object.assign(found?.condition ?? {}, { must: [] })).toThrow(TypeError)
  expect(tenants.find('key of a')?.reaches('other')).toBe(true)
})

it('ends looking when it is closed, also in the middle of a look', async () => {
  const { file, tenants, names, timers, reads } = openFile(fileOf('a'))
  file.content = fileOf('b')
  const reloaded = tenants.reload()
  tenants.close()
  await reloaded
  expect([names(), timers, reads()]).toEqual(['a', [], 1])
})

it('does not keep a process alive', async () => {
  const timers: NodeJS.Timeout[] = []
  const original = globalThis.setTimeout
  const spied = Object.assign((run: () => void, ms: number) => {
    const timer = original(run, ms)
    timers.push(timer)
    return timer
  }, original)
  globalThis.setTimeout = spied as typeof setTimeout
  try {
    const tenants = keepReloading({
      start: { value: directoryOf({}), bytes: Buffer.from('') },
      readBytes: async () => Buffer.from(''),
      read: () => ({ value: null, faults: [] }),
      onChange() {},
    })
    expect(timers.map(timer => timer.hasRef())).toEqual([false])
    tenants.close()
  } finally {
    globalThis.setTimeout = original
  }
})

describe('a process that replaces another one', () => {
  /** Content of the word `right` alone is right. */
  const openWord = async (bytes: Uint8Array | null, content: string | Error) => {
    const kept: string[] = []
    const accepted: AcceptedContent = { bytes, keep: now => kept.push(Buffer.from(now).toString()) }
    const opened = await openReloading<string>({
      readBytes: async () => {
        if (content instanceof Error) throw content
        return Buffer.from(content)
      },
      read: now => {
        const value = Buffer.from(now).toString()
        return value.startsWith('right') ? { value, faults: null } : { value: null, faults: ['is wrong'] }
      },
      onChange() {},
      accepted,
      startTimer: () => () => {},
    })
    return { opened, kept }
  }

  it.each([
    ['wrong', 'is wrong'],
    [new Error('ENOENT'), 'cannot be read: ENOENT'],
  ])('begins with what was right, and refuses the file as a later version of it: %s', async (content, fault) => {
    const { opened, kept } = await openWord(Buffer.from('right'), content)
    if ('faults' in opened) throw new Error('it was refused')
    await opened.reload()
    expect([opened.current, opened.refusal, kept]).toEqual(['right', [fault], []])
  })

  it('takes a right file, and hands it over', async () => {
    const { opened, kept } = await openWord(Buffer.from('right'), 'right again')
    if ('faults' in opened) throw new Error('it was refused')
    await opened.reload()
    expect([opened.current, opened.refusal, kept]).toEqual(['right again', null, ['right again']])
  })

  it('is none at the first start: the file is handed over when it is right, and refused when it is not', async () => {
    expect((await openWord(null, 'right')).kept).toEqual(['right'])
    expect(await openWord(null, 'wrong')).toEqual({ opened: { faults: ['is wrong'] }, kept: [] })
    expect(await openWord(null, new Error('ENOENT'))).toEqual({
      opened: { faults: ['cannot be read: ENOENT'] },
      kept: [],
    })
  })
})
