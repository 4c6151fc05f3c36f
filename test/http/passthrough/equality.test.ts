import { afterAll, beforeAll, expect, test } from 'vitest'
import { comparable, exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { assortedRequests } from '../support/assorted-requests.ts'
import { createEchoUpstream } from '../support/echo-upstream.ts'

const stage = createStage()
let direct: string
let proxied: string

beforeAll(async () => {
  direct = await stage.listen(createEchoUpstream())
  proxied = (await stage.serveBefore(direct)).url
})
afterAll(() => stage.close())

test('200 assorted requests get the answer that a direct call gets', async () => {
  const requests = assortedRequests(200)
  expect(requests).toHaveLength(200)
  let reachedUpstream = 0
  for (const { name, method, parts } of requests) {
    const expected = comparable(readAnswer(await exchangeBytes(direct, parts), method))
    const actual = comparable(readAnswer(await exchangeBytes(proxied, parts), method))
    expect({ name, ...actual }).toEqual({ name, ...expected })
    if (!actual.statusLine.includes('400')) reachedUpstream++
  }
  // Otherwise the suite would compare two HTTP parsers and nothing of ours.
  expect(reachedUpstream).toBeGreaterThan(190)
})
