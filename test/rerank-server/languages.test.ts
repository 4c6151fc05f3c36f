import { afterEach, describe, expect, it } from 'vitest'
import { createToldLanguages } from '../../src/adapters/models/fleet/endpoint-info.ts'
import { startServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createRerankApp } from '../../src/rerank-server/app.ts'
import { startJsonServer } from '../support/json-server.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage } from '../support/stowage.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const GERMAN = [
  chunk(1, 'Der Schlüssel wird auf dem Server abgelegt und ist für die Anmeldung nötig, wenn man ihn nicht hat.'),
  chunk(2, 'Der Schlüssel der Häuser an der Küste ist alt, und nur in wenigen von ihnen wird noch geheizt.'),
]

/** A rerank server for a model of these languages, and a stowage that asks it. */
async function openWorld(languages: string[] | undefined) {
  let scored = 0
  const model = {
    ...{ id: 'model@1', dtype: 'q8', maxTokens: 512, languages, waiting: () => 0 },
    score: async (_query: string, texts: string[]) => {
      scored += texts.length
      return texts.map((_, at) => at)
    },
    relevanceOf: (logit: number) => logit / (1 + logit),
  }
  const limits = { bytes: 100_000, texts: 32, queue: 64 }
  const logger = createLogger({ level: 'silent' })
  const app = createRerankApp({ model, limits, apiKey: 'k', workers: 1, version: '1', logger })
  const server = await startServer(app, { port: 0, host: '127.0.0.1' })
  closers.push(() => server.close(0))
  const stowage = await openStowage({
    ...{ RERANKER: 'http', RERANK_SHAPE: 'tei', RERANK_API_KEY: 'k', RERANK_URL: `${server.url}/rerank` },
    RERANK_DEADLINE_MS: '60000',
  })
  closers.push(() => stowage.close())
  await fill(stowage.url, 'docs', GERMAN)
  const { json } = await stowage.ask({ query: 'Schlüssel ablegen', collection: 'docs', budget_tokens: 60 })
  return { scored, degraded: json.degraded }
}

describe('the languages of a model behind a rerank server', () => {
  it('leave it out where it cannot read, without the address of an endpoint in the answer', async () => {
    const { scored, degraded } = await openWorld(['en'])
    expect(degraded).toContainEqual({ code: 'rerank_language_unread', detail: 'the reranker reads en' })
    expect(scored).toBe(0)
  })

  it.each([[['en', 'de']], [undefined]])('let it be asked when they are %j', async languages => {
    const { scored, degraded } = await openWorld(languages)
    expect(degraded.map(({ code }) => code)).not.toContain('rerank_language_unread')
    expect(scored).toBe(2)
  })

  it('are asked again, with pauses, until an endpoint tells its model', async () => {
    let body: unknown = { error: 'not ready' }
    const server = await startJsonServer(() => ({ body }))
    closers.push(() => server.close())
    let now = 0
    const told = createToldLanguages([`${server.url}/rerank`], { shape: 'tei' }, () => now)
    await told.ask()
    body = { model_id: 'm', languages: ['en'] }
    await told.ask()
    expect([server.requests.length, told.languages]).toEqual([1, undefined])
    now = 60_000
    await told.ask()
    expect(told.languages).toEqual(['en'])
    now = 120_000
    await told.ask()
    expect(server.requests.map(({ path }) => path)).toEqual(['/info', '/info'])
  })

  it('are not asked of an API that has no path for them', async () => {
    const server = await startJsonServer(() => ({ body: { model_id: 'm', languages: ['en'] } }))
    closers.push(() => server.close())
    const told = createToldLanguages([`${server.url}/rerank`], { shape: 'cohere' })
    await told.ask()
    expect([server.requests.length, told.languages]).toEqual([0, undefined])
  })
})
