import { type RequestHandler, Router } from 'express'
import { sendJson } from './body/send-json.ts'
import { openApi, planJsonSchema, traceJsonSchema } from './openapi.ts'

/** `GET /v1/openapi.json` and the JSON Schemas under `/v1/schema`. Each is built at its first request. */
export function schemaRoutes(version: string): Router {
  return Router()
    .get(
      '/v1/openapi.json',
      answer(() => openApi(version)),
    )
    .get('/v1/schema/trace.json', answer(traceJsonSchema))
    .get('/v1/schema/plan.json', answer(planJsonSchema))
}

function answer(build: () => object): RequestHandler {
  let json: string | null = null
  return (request, response) => {
    json ??= JSON.stringify(build())
    sendJson(request, response, 200, json)
  }
}
