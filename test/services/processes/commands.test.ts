import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createCommands, runIntoClosedStdout } from '../../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../../support/timeouts.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

describe('a closed stdout ends a command without a word', { timeout: CHILD_PROCESS_MS }, () => {
  test.each([
    ['demo --json', []],
    ['doctor', []],
    ['doctor --json', []],
    ['--help', []],
    ['replay isharoth --limit-queries 1 --budgets 250 --arms topk', []],
  ])('stowage %s', async command => {
    const { code, err } = await runIntoClosedStdout(command.split(' '))
    expect(err).not.toMatch(/EPIPE|\n {4}at /u)
    expect(code).toBe(141)
  })
})

test('a server under npm ends with npm', { timeout: CHILD_PROCESS_MS }, async () => {
  const npm = createCommands({ node: 'npm', script: 'start', cwd: ROOT })
  const { url, stop } = await npm.startListening(['--', '--port', '0'])
  // Resolves when every process that holds the stdout has ended; npm itself ends at once.
  await stop('SIGTERM')
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
})

test.skipIf(!existsSync(join(ROOT, '.git')))(
  'src/stowage.js is committed as a program, so that `npm ci` leaves a clone clean',
  () => {
    const entry = execFileSync('git', ['ls-files', '--stage', 'src/stowage.js'], { cwd: ROOT, encoding: 'utf8' })
    expect(entry).toMatch(/^100755 /u)
  },
)
