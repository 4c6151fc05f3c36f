import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { createRequests } from '../../src/adapters/contextualize/requests.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { startRecordingServer } from '../support/recording-server.ts'

it('a request that is never answered ends with its limit, and leaves nothing at the signal of its caller', async () => {
  const silent = await startRecordingServer(() => () => {})
  const http = createQdrantHttp(silent.url)
  const caller = new AbortController()
  const request = createRequests({ http, apiKey: null, signal: caller.signal, timeoutMs: 50 })
  await expect(request('GET', '/collections/docs', null)).rejects.toMatchObject({
    code: 'upstream_timeout',
    message: 'Qdrant did not answer within 0.05 s',
  })
  expect(silent.requests).toHaveLength(1)
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  await http.close()
  await silent.close()
})
