import { afterAll, beforeAll, expect, it } from 'vitest'
import { chunk, fill } from '../support/points.ts'
import { send } from '../support/send.ts'
import { startListening } from '../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

let back: Awaited<ReturnType<typeof startListening>>
let front: Awaited<ReturnType<typeof startListening>>
beforeAll(async () => {
  back = await startListening(['serve', '--port', '0'])
  front = await startListening(['serve', '--port', '0'], { QDRANT_URL: back.url })
  await fill(back.url, 'docs', [chunk(1, 'The keel is the spine of the ship.')])
}, CHILD_PROCESS_MS)
afterAll(async () => {
  await front.stop('SIGTERM')
  await back.stop('SIGTERM')
})

it('a stowage before another stowage answers as one', async () => {
  expect((await send(front.url, 'GET', '/collections')).text).toContain('docs')
  const { status, text } = await send(front.url, 'POST', '/v1/context', { query: 'keel', collection: 'docs' })
  expect([status, text]).toEqual([200, expect.stringContaining('spine of the ship')])
})
