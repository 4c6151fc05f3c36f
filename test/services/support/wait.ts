import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Real services are slow on busy machines: this only ends a test that hangs. */
const MOST_MS = 90_000
const PAUSE_MS = 50

/**
 * Asks again until the answer is neither false, null nor undefined, and resolves with it. An error of `ask` counts as no answer.
 * @throws Error after 90 seconds, with what was waited for and the last error
 */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  { pauseMs = PAUSE_MS, mostMs = MOST_MS }: { pauseMs?: number; mostMs?: number } = {},
): Promise<Exclude<Answer, false | null | undefined>> {
  const end = performance.now() + mostMs
  let lastError: unknown
  for (;;) {
    try {
      const answer = await ask()
      if (answer !== false && answer !== null && answer !== undefined)
        return answer as Exclude<Answer, false | null | undefined>
    } catch (error) {
      lastError = error
    }
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`, { cause: lastError })
    await sleep(pauseMs)
  }
}

/** A port of loopback that nobody listens on now. A service that must come back at the same address needs its number. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
