import { afterEach, expect, test } from 'vitest'
import type { Passthrough } from '../../../src/http/passthrough/passthrough.ts'
import { createStage } from '../../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

async function bumpsOf(method: string, path: string): Promise<(string | null)[]> {
  const bumps: (string | null)[] = []
  const passthrough: Passthrough = (_request, response) => {
    bumps.push('— sent —')
    response.end()
  }
  const server = await stage.serve({ passthrough, bumpEpoch: collection => bumps.push(collection) })
  await (await fetch(server.url + path, { method })).text()
  await server.close(1_000)
  return bumps
}

test.each([
  ['PUT', '/collections/docs/points?wait=true', 'docs'],
  ['PUT', '/collections/docs', 'docs'],
  ['PATCH', '/collections/docs', 'docs'],
  ['DELETE', '/collections/docs', 'docs'],
  ['POST', '/collections/docs/points/delete', 'docs'],
  ['POST', '/collections/docs/points/batch', 'docs'],
  ['POST', '/collections/docs/points/payload/clear', 'docs'],
  ['PUT', '/collections/docs/points/payload', 'docs'],
  ['POST', '/collections/docs/points/payload', 'docs'],
  ['POST', '/collections/docs/points/vectors/delete', 'docs'],
  ['PUT', '/collections/docs/index', 'docs'],
  ['PUT', '/collections/docs/snapshots/recover', 'docs'],
  ['POST', '/collections/docs/points/something-new', 'docs'],
  ['PUT', '/collections/%D7%A9%2Fa/points', 'ש/a'],
  ['PUT', '/collections/%E0%A4%A/points', '%E0%A4%A'],
  ['POST', '/collections/docs/p%6Fints/d%65lete', 'docs'],
  ['PUT', '/collections/aliases/points', 'aliases'],
  ['POST', '/collections/aliases', null],
  ['POST', '/snapshots/recover', null],
])('%s %s bumps before and after', async (method, path, collection) => {
  expect(await bumpsOf(method, path)).toEqual([collection, '— sent —', collection])
})

test.each([
  ['GET', '/collections/docs/points/1'],
  ['HEAD', '/collections/docs'],
  ['OPTIONS', '/collections/docs/points'],
  ['POST', '/collections/docs/points'],
  ['POST', '/collections/docs/points/'],
  ['POST', '/collections/docs/points/scroll?timeout=1'],
  ['POST', '/collections/docs/points/count'],
  ['POST', '/collections/docs/points/query'],
  ['POST', '/collections/docs/points/query/batch'],
  ['POST', '/collections/docs/points/query/groups'],
  ['POST', '/collections/docs/points/search'],
  ['POST', '/collections/docs/points/search/matrix/pairs'],
  ['POST', '/collections/docs/points/recommend/batch'],
  ['POST', '/collections/docs/points/discover'],
  ['POST', '/collections/docs/facet'],
  ['POST', '/somewhere'],
  ['DELETE', '/issues'],
])('%s %s bumps nothing', async (method, path) => {
  expect(await bumpsOf(method, path)).toEqual(['— sent —'])
})
