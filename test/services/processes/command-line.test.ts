import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send } from '../../support/send.ts'
import { run, startListening } from '../../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../../support/timeouts.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-command-'))
  await writeFile(join(folder, 'bells.md'), '# Bells\n\nThe bell is rung at seven. It is rung again at nine.\n')
  await writeFile(join(folder, 'tides.md'), '# Tides\n\nThe tide gauge is read every hour by the warden.\n')
})
afterAll(() => rm(folder, { recursive: true }))

describe('the command line, as a shell runs it', { timeout: CHILD_PROCESS_MS }, () => {
  it('tells what it can do, and its version', async () => {
    const [help, version] = await Promise.all([run(['--help']), run(['--version'])])
    expect([help.code, version.code]).toEqual([0, 0])
    for (const command of ['serve', 'ingest', 'replay', 'demo', 'doctor', 'tenants'])
      expect(help.out).toContain(`  ${command}`)
    const manifest = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
    expect(version.out.trim()).toBe(manifest.version)
  })

  it.each([
    ['serve', '--port', []],
    ['ingest', '--collection', ['corpus', '--collection', 'c']],
    ['replay', '--budgets', ['isharoth']],
    ['demo', '--budget', []],
    ['doctor', '--collection', []],
  ])('%s explains itself with --help, and refuses an option that it does not have', async (name, option, needed) => {
    const [help, unknown] = await Promise.all([run([name, '--help']), run([name, ...needed, '--nonsense'])])
    expect([help.code, help.err]).toEqual([0, ''])
    expect(help.out).toMatch(new RegExp(`^Usage: stowage ${name} `, 'u'))
    expect(help.out).toContain(`${option} <`)
    expect([unknown.code, unknown.out]).toEqual([2, ''])
    expect(unknown.err).toContain("unknown option '--nonsense'")
    expect(unknown.err).toMatch(/\nsee --help\n$/u)
    expect(unknown.err.split('\n').length).toBeLessThan(5)
  })

  it.each([
    ['no command', [], /Usage: stowage/],
    ['ingest without a collection', ['ingest', 'corpus'], /name a --collection or a --project/],
    ['ingest without a path', ['ingest', '--collection', 'c'], /missing required argument 'path'/],
    ['replay without a set', ['replay'], /missing required argument 'set'/],
    ['replay of a set that is not there', ['replay', 'no-such-set'], /no golden set no-such-set/],
    ['tenants without a file', ['tenants', 'check'], /name a file, or set TENANTS_FILE/],
    ['an argument too many', ['doctor', 'harbour'], /too many arguments/],
    ['a number that is none', ['replay', 'isharoth', '--budgets', '500,many'], /'--budgets <tokens>' .*"many"/],
  ])('%s ends with 2', async (_name, line, message) => {
    const { code, out, err } = await run(line)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
  })

  it.each([['ingest', '.', '--collection', 'c'], ['replay', 'isharoth'], ['demo'], ['doctor', '--json']])(
    '%s reports every fault of the configuration at once',
    async (...line) => {
      const bad = { PORT: 'x', EMBEDDER: 'magic', CACHE_TTL_MS: 'soon', RERANK_BLEND: '2', UNLEASH_REFRESH_MS: 'soon' }
      const { code, out, err } = await run(line, { ...bad, QDRANT_API_KEY: 'secret' })
      // For doctor a bad configuration is a finding: it reports, and fails.
      const isDoctor = line[0] === 'doctor'
      expect([code, isDoctor || out === '']).toEqual([isDoctor ? 1 : 2, true])
      const report: string = isDoctor ? JSON.parse(out).findings[0].detail : err
      for (const [name, value] of Object.entries(bad)) expect(report).toContain(`${name}=${value}`)
      expect(out + err).not.toContain('secret')
    },
  )

  it('misused ends with 2, says why on stderr and prints nothing', async () => {
    const bad = { PORT: '99999', EMBEDDER: 'magic', CACHE_TTL_MS: 'soon', UNLEASH_REFRESH_MS: 'soon' }
    const [unknown, configuration] = await Promise.all([run(['stow']), run(['serve'], bad)])
    expect([unknown.code, unknown.out]).toEqual([2, ''])
    expect(unknown.err).toMatch(/unknown command 'stow'/)
    expect([configuration.code, configuration.out]).toEqual([2, ''])
    for (const [name, value] of Object.entries(bad)) expect(configuration.err).toContain(`${name}=${value}`)
  })

  it('ingests into a folder, serves what is there, looks it over, and stops when told to', async () => {
    const environment = { EMBEDDED_PATH: join(folder, 'data') }
    const ingested = await run(['ingest', folder, '--collection', 'harbour', '--json'], environment)
    expect(ingested.code).toBe(0)
    expect(JSON.parse(ingested.out)).toMatchObject({ collection: 'harbour', documents: 2, written: 2 })

    const service = await startListening(['serve', '--port', '0'], environment)
    const ask = JSON.stringify({ query: 'When is the bell rung?', collection: 'harbour' })
    const answer = await send(service.url, 'POST', '/v1/context', ask)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ chunks: [{ doc_id: 'bells' }], degraded: [] })
    // The folder is in use: another process has to say so, not damage it.
    const second = await run(['doctor', '--json'], environment)
    expect(second.code).toBe(1)
    expect(JSON.parse(second.out)).toMatchObject({ ok: false })
    expect((await service.stop('SIGTERM')).code).toBe(0)

    const doctor = await run(['doctor', '--collection', 'harbour', '--json'], environment)
    expect(doctor.code).toBe(0)
    expect(JSON.parse(doctor.out)).toMatchObject({ ok: true, findings: expect.any(Array) })
    expect(doctor.out).toContain('harbour holds 2 points')
  })
})
