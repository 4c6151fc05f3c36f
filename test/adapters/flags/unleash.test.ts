import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openUnleash, type UnleashOptions } from '../../../src/adapters/flags/unleash.ts'
import type { FlagProvider } from '../../../src/flags/provider.ts'
import { noAnswer } from '../../support/recording-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { always, type FakeFeature, forTenants, startFakeUnleash } from './support/fake-unleash.ts'

/** A client of a fake server that refreshes when the clock says so, and notes what it is told. */
async function connect(features: FakeFeature[], over: Partial<UnleashOptions> = {}) {
  const server = await startFakeUnleash(features)
  onTestFinished(() => server.close())
  const refreshes: (string | null)[] = []
  let told = () => {}
  const open = async (more: Partial<UnleashOptions> = {}) => {
    const provider = await openUnleash({
      url: server.url,
      token: 'default:development.secret',
      appName: 'stowage',
      environment: 'development',
      refreshMs: 10,
      backupFile: null,
      onRefresh: ({ error }) => {
        refreshes.push(error)
        told()
      },
      onChange() {},
      ...over,
      ...more,
    })
    onTestFinished(() => provider.close())
    return provider
  }
  return {
    server,
    refreshes,
    open,
    /** Resolves when the client has told of a refresh that `wanted` is true for. */
    until: (wanted: () => boolean) =>
      new Promise<void>(resolve => {
        told = () => void (wanted() && resolve())
        told()
      }),
  }
}

const isOn = (provider: FlagProvider, key: string, tenant: string | null = null) =>
  provider.current?.evaluate(key, { tenant, sessionId: 's' })?.enabled ?? null
const KEY = 'stowage.dedupe'

describe('an Unleash server', () => {
  it('is asked with the token and the specification, and its flags are there at the start', async () => {
    const { server, open } = await connect([{ name: KEY, enabled: true, strategies: [always] }])
    const provider = await open()
    expect(isOn(provider, KEY)).toBe(true)
    expect(provider.current?.evaluate('stowage.mmr', { tenant: null, sessionId: 's' })).toBeNull()
    const asked = server.requests.find(({ path }) => path === '/api/client/features')
    expect(asked?.headers).toMatchObject({
      authorization: 'default:development.secret',
      'unleash-appname': 'stowage',
      'unleash-client-spec': '5.2.0',
    })
  })

  it('flips a flag for one tenant, and for nobody else', async () => {
    const { server, open, until, refreshes } = await connect([{ name: KEY, enabled: true, strategies: [always] }])
    const provider = await open()
    expect(['acme', 'beta', null].map(tenant => isOn(provider, KEY, tenant))).toEqual([true, true, true])
    const before = refreshes.length
    server.set([{ name: KEY, enabled: true, strategies: [forTenants('beta')] }])
    await until(() => refreshes.length > before && isOn(provider, KEY, 'acme') === false)
    expect(['acme', 'beta', null].map(tenant => isOn(provider, KEY, tenant))).toEqual([false, true, false])
  })

  it.each([
    ['401', () => ({ status: 401, body: '{}' }), /answers 401/],
    ['500', () => ({ status: 500, body: 'oops' }), /answers 500/],
    ['404', () => ({ status: 404, body: '' }), /answers 404/],
    ['no JSON', () => ({ body: '<html>' }), /JSON/],
    ['another document', () => ({ body: '{"hello":1}' }), /no flags/],
    ['a reset connection', () => null, /./],
    ['silence', () => noAnswer, /aborted|timeout/iu],
  ])('that answers %s leaves the last known flags, tells it once, and is asked again', async (name, reply, error) => {
    const { server, open, until, refreshes } = await connect([{ name: KEY, enabled: true, strategies: [always] }], {
      answerMs: name === 'silence' ? 100 : 5_000,
    })
    const provider = await open()
    server.fail(reply)
    await until(() => refreshes.at(-1) !== null && refreshes.length > 0)
    expect(refreshes.at(-1)).toMatch(error)
    const count = refreshes.length
    await server.asked()
    await server.asked()
    expect([isOn(provider, KEY), refreshes.length]).toEqual([true, count])
    server.set([{ name: KEY, enabled: false, strategies: [] }])
    await until(() => refreshes.at(-1) === null)
    expect(isOn(provider, KEY)).toBe(false)
  })

  it('that is not there blocks no start: there are no flags until it answers, and that is told', async () => {
    const { server, open, until, refreshes } = await connect([], { answerMs: 60_000, waitMs: 20 })
    server.fail(() => noAnswer)
    const silent = await open()
    expect(silent.current).toBeNull()
    expect(refreshes).toEqual(['no answer within 20 ms'])
    const away = await open({ url: 'http://127.0.0.1:9/api' })
    expect(away.current).toBeNull()
    await until(() => true)
  })

  it('can be closed while an answer is awaited, twice, and without a crash afterwards', async () => {
    const crashes: unknown[] = []
    const note = (error: unknown) => crashes.push(error)
    process.on('uncaughtException', note).on('unhandledRejection', note)
    const { server, open } = await connect([{ name: KEY, enabled: true }], { answerMs: 60_000, waitMs: 1 })
    server.fail(() => noAnswer)
    const provider = await open()
    await provider.close()
    await provider.close()
    await server.close()
    await new Promise(resolve => setImmediate(resolve))
    process.off('uncaughtException', note).off('unhandledRejection', note)
    expect(crashes).toEqual([])
  })

  it('registers the application, so that its usage shows', async () => {
    const { server, open } = await connect([{ name: KEY, enabled: true }])
    await open()
    await server.asked()
    const registered = server.requests.find(({ path }) => path === '/api/client/register')
    expect(JSON.parse(registered?.body ?? '{}')).toMatchObject({ appName: 'stowage' })
    expect(registered?.headers.authorization).toBe('default:development.secret')
  })

  it('leaves out a flag that makes no sense, and tells of those of stowage', async () => {
    const { open } = await connect([
      { name: 'stowage.mmr', enabled: 'yes' as unknown as boolean },
      { name: 'other', enabled: 7 as unknown as boolean },
      { name: 'stowage.novelty', enabled: true, strategies: [{ name: 'byMoonPhase' }] },
      { name: KEY, enabled: true, strategies: null as unknown as [] },
    ])
    const provider = await open()
    expect([isOn(provider, KEY), isOn(provider, 'stowage.mmr'), isOn(provider, 'stowage.novelty')]).toEqual([
      true,
      null,
      null,
    ])
    expect(provider.current?.faults).toEqual([
      expect.stringMatching(/^stowage\.mmr\.enabled="yes": /),
      expect.stringMatching(/^stowage\.novelty\.strategies\[0\]\.name="byMoonPhase": /),
    ])
  })
})

describe('the backup file', () => {
  it('keeps the last flags for a start without the server, and is for its owner only', async () => {
    const backupFile = join(temporaryFolder('stowage-flags'), 'flags.json')
    const { server, open } = await connect([{ name: KEY, enabled: true, strategies: [forTenants('beta')] }], {
      backupFile,
    })
    await (await open()).close()
    expect((await stat(backupFile)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(backupFile, 'utf8'))).toMatchObject({ version: 2 })
    server.fail(() => ({ status: 503, body: '' }))
    const restarted = await open()
    expect(['acme', 'beta'].map(tenant => isOn(restarted, KEY, tenant))).toEqual([false, true])
    await writeFile(backupFile, '{"features":')
    expect((await open()).current).toBeNull()
  })

  it('that cannot be written is reported, and the flags are used', async () => {
    const backupFile = '/dev/null/flags.json'
    const { open } = await connect([{ name: KEY, enabled: true, strategies: [always] }], { backupFile })
    const provider = await open()
    expect(isOn(provider, KEY)).toBe(true)
    expect(provider.current?.faults).toEqual([
      expect.stringMatching(/^UNLEASH_BACKUP_FILE=\/dev\/null\/flags\.json: cannot be written: /),
    ])
  })

  it('is written as soon as that works, also when the flags have not changed since', async () => {
    const folder = temporaryFolder('stowage-flags')
    const backupFile = join(folder, 'missing', 'flags.json')
    // What stands in the way is a folder with the name of the file.
    await mkdir(join(backupFile, 'inside'), { recursive: true })
    const features: FakeFeature[] = [{ name: KEY, enabled: true, strategies: [always] }]
    const { open, until } = await connect(features, { backupFile })
    const provider = await open()
    expect(provider.current?.faults).toEqual([expect.stringContaining('cannot be written')])
    expect(await readdir(join(folder, 'missing'))).toEqual(['flags.json'])
    // In one step, because the provider may be writing into it.
    await rename(join(folder, 'missing'), join(folder, 'aside'))
    await until(() => provider.current?.faults.length === 0)
    expect(JSON.parse(await readFile(backupFile, 'utf8'))).toMatchObject({ features: [{ name: KEY }] })
  })
})
