import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { Command } from 'commander'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addServeCommand, type ListenOverrides, type RunningService } from '../../src/commands/serve.ts'
import { deferred } from '../support/deferred.ts'

/** Runs the command with a service that closes when it is told to. */
function runServe(args: string[], over: Partial<RunningService> = {}) {
  const started: ListenOverrides[] = []
  const closings: number[] = []
  const exits: number[] = []
  const closed = deferred<void>()
  const printed = deferred<string>()
  const process = Object.assign(new EventEmitter(), { ppid: 1, exit: (code: number) => void exits.push(code) })
  const program = new Command().exitOverride().configureOutput({ writeErr() {} })
  addServeCommand(program, {
    start: async overrides => {
      started.push(overrides)
      return {
        url: 'http://127.0.0.1:6340',
        description: { upstream: 'embedded engine', plan: 'measured' },
        close: graceMs => {
          closings.push(graceMs)
          return closed.promise
        },
        ...over,
      }
    },
    out: new Writable({
      write(text, _encoding, done) {
        printed.resolve(String(text))
        done()
      },
    }),
    process: process as unknown as NodeJS.Process & { exit(code: number): void },
    startedByNpm: false,
  })
  const done = program.parseAsync(['node', 'stowage', 'serve', ...args])
  return { started, closings, exits, closed, printed: printed.promise, process, done }
}

test('says where it listens, closes on the first signal and ends with it', async () => {
  const run = runServe(['--port', '0', '--host', '::1'])
  expect(await run.printed).toBe(
    'stowage listens on http://127.0.0.1:6340 · upstream embedded engine · plan measured\n',
  )
  expect(run.started).toEqual([{ port: 0, host: '::1' }])
  run.process.emit('SIGTERM')
  await vi.waitFor(() => expect(run.closings).toHaveLength(1))
  run.closed.resolve()
  await run.done
  expect(run.exits).toEqual([])
})

test('reads the file of tenants again on SIGHUP, and leaves that signal alone without one', async () => {
  let reloads = 0
  const withTenants = runServe([], { reload: async () => void reloads++ })
  await withTenants.printed
  withTenants.process.emit('SIGHUP')
  withTenants.process.emit('SIGHUP')
  expect(reloads).toBe(2)
  const without = runServe([])
  await without.printed
  expect(without.process.listenerCount('SIGHUP')).toBe(0)
})

test('leaves to the environment what is not given', async () => {
  const run = runServe([])
  await run.printed
  expect(run.started).toEqual([{}])
})

test('a signal during the start closes what has started, in order', async () => {
  const run = runServe([])
  run.process.emit('SIGTERM')
  await vi.waitFor(() => expect(run.closings).toHaveLength(1))
  run.closed.resolve()
  await run.done
  expect(run.exits).toEqual([])
})

test('a second signal ends it at once, and one that comes twice does not', async () => {
  const run = runServe([])
  await run.printed
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  onTestFinished(() => void now.mockRestore())
  run.process.emit('SIGINT')
  run.process.emit('SIGINT')
  now.mockReturnValue(1_500)
  run.process.emit('SIGTERM')
  expect(run.exits).toEqual([])
  now.mockReturnValue(1_501)
  run.process.emit('SIGTERM')
  expect(run.exits).toEqual([1])
})

test.each(['-1', '65536', '80.5', 'http', ''])('refuses port %j', async port => {
  await expect(runServe([`--port=${port}`]).done).rejects.toThrow('from 0 to 65535')
})
