import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, test, vi } from 'vitest'
import { openLogLines } from '../../src/observe/log-lines.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { COMPILED } from '../support/compiled.ts'
import { send } from '../support/send.ts'
import { startListening } from '../support/stowage-process.ts'

/** A pipe with room for so many bytes, and what was written to it. */
function pipeWithRoom(room: number) {
  const pipe = { room, parts: [] as Buffer[], code: 'EAGAIN', text: () => Buffer.concat(pipe.parts).toString() }
  const write = (bytes: Buffer) => {
    const part = bytes.subarray(0, pipe.room)
    if (part.length === 0) throw Object.assign(new Error('full'), { code: pipe.code })
    pipe.room -= part.length
    pipe.parts.push(part)
    return part.length
  }
  return { pipe, write }
}

describe('lines of the log', () => {
  it('are written at once while there is room', () => {
    const { pipe, write } = pipeWithRoom(1_000)
    const log = openLogLines({ write, onResumed: () => {} })
    log.write('first\n')
    expect(pipe.text()).toBe('first\n')
  })

  it.each(['EAGAIN', 'ENOSPC', 'EPIPE'])('wait after %s, and come whole and in order', async code => {
    const { pipe, write } = pipeWithRoom(8)
    pipe.code = code
    const resumed: number[] = []
    const log = openLogLines({ write, onResumed: lines => resumed.push(lines) })
    for (const line of ['first\n', 'Zähler\n', 'third\n']) log.write(line)
    expect(Buffer.concat(pipe.parts)).toHaveLength(8)
    pipe.room = 1_000
    await vi.waitFor(() => expect(pipe.text()).toContain('third\n'))
    log.write('fourth\n')
    expect(pipe.text()).toBe('first\nZähler\nthird\nfourth\n')
    expect(resumed).toEqual([])
  })

  it('are dropped beyond a limit, and one line tells how many', async () => {
    const { pipe, write } = pipeWithRoom(0)
    const logger = createLogger({
      level: 'info',
      destination: openLogLines({ write, onResumed: lines => logger.warn({ lines }, 'dropped') }),
    })
    for (let at = 0; at < 40_000; at += 1) logger.info({ at }, 'request finished')
    pipe.room = Number.POSITIVE_INFINITY
    await vi.waitFor(() => expect(pipe.text()).toContain('dropped'))
    const lines = pipe
      .text()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const { lines: dropped } = lines.at(-1)
    expect(lines).toHaveLength(40_001 - dropped)
    expect(pipe.text().length).toBeLessThan(1_050_000)
    expect(lines.slice(0, -1).map(({ at }) => at)).toEqual(Array.from({ length: 40_000 - dropped }, (_, at) => at))
  })
})

describe('a service of which nobody reads the log', () => {
  it.each(['1', '2'])('answers, and ends at SIGTERM, with %s process(es)', async workers => {
    const service = await startListening(['serve', '--port', '0'], { WORKERS: workers, LOG_LEVEL: 'info' })
    service.leaveLogUnread()
    const statuses = new Set<number>()
    for (let round = 0; round < 20; round += 1) {
      const answers = Array.from({ length: 50 }, () => send(service.url, 'GET', '/collections'))
      for (const { status } of await Promise.all(answers)) statuses.add(status)
    }
    expect([...statuses]).toEqual([200])
    expect((await send(service.url, 'GET', '/healthz')).status).toBe(200)
    const { err } = await service.stop('SIGTERM')
    expect(err.split('\n').length).toBeGreaterThan(100)
  })

  it('has its last lines in the log when it ends', async () => {
    const service = await startListening(['serve', '--port', '0'], { LOG_LEVEL: 'info' })
    await send(service.url, 'GET', '/collections/last-one')
    const { err } = await service.stop('SIGTERM')
    expect(err).toContain('GET /collections/last-one')
  })
})

test('a child process that inherits the pipe does not make the log wait', async () => {
  const script = `
    import { spawnSync } from 'node:child_process'
    import { createLogger } from '${new URL('observe/logger.js', COMPILED)}'
    const logger = createLogger({ level: 'info' })
    logger.info('first')
    spawnSync(process.execPath, ['-e', ''], { stdio: 'inherit' })
    for (let at = 0; at < 5_000; at += 1) logger.info({ at }, 'request finished')
    console.log('went on')`
  const line = ['--input-type=module', '-e', script]
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.pause()
  const [text] = await once(child.stdout, 'data')
  expect(String(text)).toContain('went on')
  child.kill('SIGKILL')
})
