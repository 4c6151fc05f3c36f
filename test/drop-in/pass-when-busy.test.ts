import { afterEach, expect, it } from 'vitest'
import { passWhenBusy } from '../../src/drop-in/pass-when-busy.ts'
import { createImproveHandler } from '../../src/drop-in/route.ts'
import { createPassthrough } from '../../src/http/passthrough/passthrough.ts'
import type { Limit } from '../../src/pipeline/load/limit.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { deferred } from '../support/deferred.ts'
import { createRecordingServer } from '../support/recording-server.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { choosing } from './support/improving.ts'

const stage = createStage()
afterEach(() => stage.close())

const POINTS = '{"result":{"points":[{"id":1,"version":0,"score":1,"payload":{"text":"a"}}]},"status":"ok","time":0}'
const LISTS = POINTS.replace('{"result":{', '{"result":[{').replace('},"status"', '}],"status"')

it('improves as many searches as there are places; the next one gets the original answer at once', async () => {
  const { server, requests } = createRecordingServer(({ path }) => ({
    body: path.includes('/batch') ? LISTS : POINTS,
    headers: { 'content-type': 'application/json' },
  }))
  const upstream = await stage.listen(server)
  const busy = deferred<void>()
  const chose = deferred<void>()
  let running = 0
  const limit: Limit = {
    places: 1,
    recentMs: 1,
    running: 0,
    enter() {
      if (running === 1) return null
      running++
      return () => {
        running--
      }
    },
  }
  const improve = createImproveHandler({
    http: createQdrantHttp(upstream),
    choosePoints: async (request, caller) => {
      chose.resolve()
      await busy.promise
      return choosing(hits => hits)(request, caller)
    },
    tenantOf: () => null,
    enabled: () => true,
    pool: 50,
    deadlineMs: 60_000,
    report() {},
  })
  const { passthrough } = createPassthrough({ upstream: new URL(upstream) })
  const { url } = await stage.serve({ improvePoints: passWhenBusy(improve, limit), passthrough })
  const search = () => send(url, 'POST', '/collections/c/points/query', { query: [1], limit: 1, with_payload: true })

  const first = search()
  await chose.promise
  const second = await search()
  expect(second.text).toBe(POINTS)
  expect(second.headers.get('x-stowage-applied')).toBe('passthrough')
  expect(second.headers.get('x-stowage-degraded')).toBe('overloaded')
  busy.resolve()
  expect((await first).headers.get('x-stowage-applied')).not.toBe('passthrough')
  expect((await search()).headers.get('x-stowage-applied')).not.toBe('passthrough')
  expect(requests.map(({ path }) => path.split('/points')[1])).toEqual(['/query/batch', '/query', '/query/batch'])
  expect(running).toBe(0)
})
