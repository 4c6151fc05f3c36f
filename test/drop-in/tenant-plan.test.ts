import express from 'express'
import { afterEach, expect, it } from 'vitest'
import { createImproveHandler, type ImproveEvent } from '../../src/drop-in/route.ts'
import { startServer } from '../../src/http/server.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { notImplemented } from '../support/not-implemented.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { declared, directoryOf } from '../tenants/support/read-file.ts'
import { choosing } from './support/improving.ts'
import { createScriptedQdrant, listsAnswer, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

it("a search of a tenant asks each list for the hits that the tenant's plan says", async () => {
  const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')]) })
  const events: ImproveEvent[] = []
  const improve = createImproveHandler({
    http: createQdrantHttp(await stage.listen(qdrant.server)),
    choosePoints: choosing(hits => hits),
    decide: decideByConfiguration(NAMED_PLANS.measured),
    deadlineMs: 60_000,
    hedgeMs: 600_000,
    holdOriginal: notImplemented('holdOriginal'),
    report: event => events.push(event),
    onPause() {},
  })
  const plan = overridePlan(NAMED_PLANS.measured, { retrieval: { pool: 77 } })
  const { tenants } = directoryOf({ ...declared('acme'), ...declared('beta') })
  const app = express()
  app.use((request, response, next) => {
    const tenant = tenants.find(({ name }) => name === request.headers['api-key'])
    response.locals.tenant = tenant && { ...tenant, ...(tenant.name === 'acme' && { plan }) }
    next()
  })
  app.use(improve)
  const server = await startServer(app, { port: 0, host: '127.0.0.1' })
  for (const key of ['acme', 'beta']) {
    const search = { query: [0.1], limit: 3 }
    expect((await send(server.url, 'POST', '/collections/docs/points/query', search, { 'api-key': key })).status).toBe(
      200,
    )
  }
  await server.close(0)
  expect(qdrant.improver.map(({ body }) => JSON.parse(body).searches[0].limit)).toEqual([77, 50])
  expect(events.map(({ tenant }) => tenant)).toEqual(['acme', 'beta'])
})
