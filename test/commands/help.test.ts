import { expect, it } from 'vitest'
import { run } from '../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

it('the help of options shows defaults that tell something, and no other', { timeout: CHILD_PROCESS_MS }, async () => {
  const [replay, create] = await Promise.all([run(['replay', '--help']), run(['project', 'create', '--help'])])
  for (const { code, out } of [replay, create]) {
    expect(code).toBe(0)
    expect(out).not.toMatch(/default:\s+(?:false|\[)/u)
  }
  expect(replay.out).toMatch(/default: all\s+\(adaptive_weights,\s+spelling,/u)
  expect(replay.out).toMatch(/plans that --tune tries\s+\(default: 48\)/u)
})
