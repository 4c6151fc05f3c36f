import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage({ MANAGED_COLLECTIONS: 'docs' })
  await stowage.send('PUT', '/collections/docs', { vectors: { size: 2, distance: 'Dot' } })
})
afterAll(() => stowage.close())

/** A point without a text does not fit a managed collection. */
const UNFIT = JSON.stringify({ points: [{ id: 1, vector: [1, 0], payload: {} }] })

async function put(target: string): Promise<string> {
  const head = `PUT ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json`
  const bytes = await exchangeBytes(stowage.url, [`${head}\r\ncontent-length: ${UNFIT.length}\r\n\r\n${UNFIT}`])
  return readAnswer(bytes, 'PUT').statusLine.slice(9, 12)
}

const part = (name: string) => fc.constantFrom(name, `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`)
const between = fc.oneof(
  { weight: 3, arbitrary: fc.constant('/') },
  fc.constantFrom('//', '/./', '/%2e/', '/x/../', '/x/%2E%2e/', '\\', '/.\\', '/x\\..\\', '%2f', '%5c'),
)
const start = fc.constantFrom('/', '//', '/./', '/x/../', '/v1/..\\', 'http://host/', 'http://host//')
const end = fc.constantFrom('', '/', '//', '/.', '/x/..', '/x\\..', '\\', '?wait=true', '#/x', '?a#b', ';x=1')

it('no spelling of a path brings a point past the guard', async () => {
  const spelt = fc.tuple(start, part('collections'), between, part('docs'), between, part('points'), end)
  await fc.assert(
    fc.asyncProperty(spelt, async parts => {
      expect(await put(parts.join(''))).toMatch(/^4|^501/u)
      const { json } = await stowage.send('POST', '/collections/docs/points/count', {})
      expect(json).toMatchObject({ result: { count: 0 } })
    }),
    { numRuns: 400 },
  )
}, 60_000)
