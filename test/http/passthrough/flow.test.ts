import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flow } from '../../../src/http/passthrough/flow.ts'

const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 30 })

test('all bytes arrive in order before the end, at a target that is slow and takes little', async () => {
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 60 }), async (sent, highWaterMark) => {
      const received: Buffer[] = []
      let largest = 0
      const target = new Writable({
        highWaterMark,
        write(part, _encoding, done) {
          largest = Math.max(largest, target.writableLength)
          received.push(part)
          setImmediate(done)
        },
      })
      flow(
        Readable.from(
          sent.map(part => Buffer.from(part)),
          { objectMode: false },
        ),
        target,
        () => target.end(),
      )
      await once(target, 'finish')
      expect(Buffer.concat(received)).toEqual(Buffer.concat(sent))
      // It holds no more than its limit and the part that went over it.
      expect(largest).toBeLessThan(highWaterMark + 2 * 40)
    }),
    { numRuns: 50 },
  )
})

test('a source that somebody has paused flows on', async () => {
  const source = new PassThrough()
  source.pause()
  const target = new PassThrough()
  flow(source, target, () => target.end())
  source.end('text')
  expect(String(Buffer.concat(await target.toArray()))).toBe('text')
})

test('after the stop nothing is written, and the source stands still until somebody reads on', async () => {
  const source = new PassThrough()
  const target = new PassThrough()
  const stop = flow(source, target, () => target.end())
  source.write('one')
  await turn()
  stop()
  source.end('two')
  await turn()
  expect([String(target.read()), source.readableEnded, target.writableEnded]).toEqual(['one', false, false])
  source.resume()
  await once(source, 'end')
  expect(target.read()).toBeNull()
})

test('nothing is written to a target that is destroyed', async () => {
  const source = new PassThrough()
  const target = new PassThrough()
  const errors: Error[] = []
  target.on('error', error => errors.push(error))
  flow(source, target, () => target.end())
  target.destroy()
  source.write('late')
  await turn()
  await turn()
  expect(errors).toEqual([])
})
