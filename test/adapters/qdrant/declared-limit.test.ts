import { expect, it } from 'vitest'
import { createDeclaredLimit } from '../../../src/adapters/qdrant/declared-limit.ts'

const LIMITED = { config: { strict_mode_config: { enabled: true, read_rate_limit: 20 } } }

it('asks once for each key, so that a key that may not look changes nothing for others', async () => {
  const asked: unknown[] = []
  const isDeclared = createDeclaredLimit({
    read: async ({ apiKey }) => {
      asked.push(apiKey)
      if (apiKey === 'narrow') throw new Error('forbidden')
      return LIMITED
    },
  })
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await isDeclared('docs', 'narrow')).toBe(false)
    expect(await isDeclared('docs', 'wide')).toBe(true)
  }
  expect(asked).toEqual(['narrow', 'wide'])
})
