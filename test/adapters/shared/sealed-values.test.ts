import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSealedValues } from '../../../src/adapters/shared/sealed-values.ts'

const SECRET = randomBytes(32)

describe.each([
  ['compressed', createSealedValues(null)],
  ['encrypted', createSealedValues(SECRET)],
])('%s values', (_, sealed) => {
  test('are opened as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 3_000 }), async text => {
        expect(await sealed.open(await sealed.seal(text, 'key'), 'key')).toBe(text)
      }),
    )
  })

  test('that are long become short', async () => {
    expect((await sealed.seal('text '.repeat(10_000), 'key')).byteLength).toBeLessThan(2_000)
  })

  test('that are cut or of another format are an error, and nothing else', async () => {
    const long = await sealed.seal('text '.repeat(1_000), 'key')
    for (const bytes of [Buffer.alloc(0), Buffer.from([9, 1, 2]), long.subarray(0, long.length / 2), randomBytes(500)])
      await expect(sealed.open(bytes, 'key')).rejects.toThrow()
  })
})

test('a value that would become huge is not read', async () => {
  const bomb = Buffer.concat([Buffer.from([1]), deflateRawSync(Buffer.alloc(64 * 1024 * 1024))])
  await expect(createSealedValues(null).open(bomb, 'key')).rejects.toThrow()
})

describe('with a secret', () => {
  const sealed = createSealedValues(SECRET)

  test('neither the value nor its name tells the text', async () => {
    const value = await sealed.seal('who may know this?', 'key')
    expect(value.includes('who may')).toBe(false)
    expect(sealed.digest('who may know this?')).not.toBe(createSealedValues(null).digest('who may know this?'))
  })

  test('no bit of a value can be changed', async () => {
    const value = await sealed.seal('text', 'key')
    for (let at = 0; at < value.length; at++) {
      const changed = Buffer.from(value)
      changed[at] = (changed[at] ?? 0) ^ 1
      await expect(sealed.open(changed, 'key')).rejects.toThrow()
    }
  })

  test('a value can be opened with the same secret and under the same key only', async () => {
    const value = await sealed.seal('text', 'key of one tenant')
    await expect(sealed.open(value, 'key of another')).rejects.toThrow()
    await expect(createSealedValues(randomBytes(32)).open(value, 'key of one tenant')).rejects.toThrow()
    expect(await createSealedValues(SECRET).open(value, 'key of one tenant')).toBe('text')
  })

  test('equal texts are not seen to be equal', async () => {
    expect(await sealed.seal('text', 'key')).not.toEqual(await sealed.seal('text', 'key'))
  })
})
