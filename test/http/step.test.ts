import http from 'node:http'
import express from 'express'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { OWN_ROUTES } from '../../src/http/description/own-routes.ts'
import { asListener, inOrder, type Step } from '../../src/http/step.ts'
import { createStage } from '../support/stage.ts'

const stage = createStage()
afterAll(() => stage.close())

/** What a step of the test does. */
const BEHAVIOURS: Record<string, Step> = {
  goesOn: (_request, _response, next) => next(),
  goesOnLater: async (_request, _response, next) => {
    await new Promise(resolve => setImmediate(resolve))
    next()
  },
  tells: (request, response, next) => {
    response.locals.told = `${response.locals.told ?? ''}${request.originalUrl}`
    next()
  },
  answers: (_request, response) => void response.end(`answered ${response.locals.told}`),
  answersLater: async (_request, response) => {
    await new Promise(resolve => setImmediate(resolve))
    response.end('answered later')
  },
  refuses: (_request, _response, next) => next(new Error('refused')),
  throws: () => {
    throw new Error('thrown')
  },
  rejects: async () => {
    throw new Error('rejected')
  },
}
const end: Step = (_request, response) => void response.end('the end')

test('steps in order do what they do in Express', async () => {
  const listeners: http.RequestListener[] = []
  const url = await stage.listen(http.createServer((request, response) => listeners[0]?.(request, response)))
  const names = fc.array(fc.constantFrom(...Object.keys(BEHAVIOURS)), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(names, names, async (outer, inner) => {
      const stepsOf = (some: string[]) => some.flatMap(name => BEHAVIOURS[name] ?? [])
      const fail = (error: unknown, _request: unknown, response: http.ServerResponse) =>
        void response.writeHead(500).end(String(error))
      const app = express()
      for (const step of [...stepsOf(outer), ...stepsOf(inner), end]) app.use(step)
      const onError: express.ErrorRequestHandler = (error, request, response, _next) => fail(error, request, response)
      app.use(onError)
      const joined = asListener(inOrder(...stepsOf(outer), inOrder(...stepsOf(inner)), end), fail)
      const answers: string[] = []
      for (const listener of [app, joined]) {
        listeners[0] = listener
        const answer = await fetch(`${url}/collections/a?b=%20`)
        answers.push(`${answer.status} ${await answer.text()}`)
      }
      expect(answers[1]).toBe(answers[0])
    }),
    { numRuns: 150 },
  )
})

test('no route of stowage itself is below the paths that do not reach Express', () => {
  const routes = Object.keys(OWN_ROUTES)
  expect(routes).toContain('POST /v1/context')
  expect(routes.filter(route => route.includes(' /collections'))).toEqual([])
})
