import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { createFakeEndpoint } from '../../relay/support/fake-endpoint.ts'
import { createStage } from '../../support/stage.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { describeWith, folderOf } from '../support/programs.ts'
import { pythonProgram } from '../support/python.ts'
import { startEngine } from '../support/stowage.ts'
import { BACKENDS, type Job, type Language, runBackend } from './backends.ts'

const DOCUMENTS = [
  'The north berth takes two barges; its crane lifts four tons.',
  'The south berth is closed from dusk.',
  'Ring the bell twice to open the sluice.',
]
const QUESTIONS = ['How many barges does the north berth take?', 'When is the south berth closed? 🌊']
const LANGUAGES = Object.keys(BACKENDS) as Language[]

describeWith('frameworks', 'python')('a backend of which only the two URLs were changed', () => {
  const stage = createStage()
  const endpoint = createFakeEndpoint()
  let engine: Awaited<ReturnType<typeof startEngine>>
  let provider: string
  let stowage: Stowage
  beforeAll(async () => {
    engine = await startEngine()
    provider = await stage.listen(endpoint.server)
    stowage = await openStowage({
      QDRANT_URL: engine.url,
      EMBEDDINGS_RELAY_URL: `${provider}/v1`,
      RERANKER: 'crossencoder',
    })
  })
  afterAll(async () => {
    await stowage?.close()
    await stage.close()
    await engine?.stop()
  })

  const backends = LANGUAGES.flatMap(language => BACKENDS[language].map(framework => ({ language, framework })))
  test.each(backends)('$framework in $language: each search has its question, intent and reranking', async asking => {
    const { language, framework } = asking
    const collection = `${language}-${framework}`
    const installed = { packages: folderOf('frameworks'), python: pythonProgram() }
    const run = (embeddings: string, qdrant: string, job: Pick<Job, 'documents' | 'questions'>) =>
      runBackend(language, { framework, embeddings, qdrant, collection, limit: 2, ...job }, installed)
    const before = await run(provider, engine.url, { documents: DOCUMENTS, questions: QUESTIONS })
    stowage.answered.length = 0
    const after = await run(stowage.url, stowage.url, { documents: [], questions: QUESTIONS })

    for (const texts of [...before, ...after]) {
      expect(texts).toHaveLength(2)
      for (const text of texts) expect(DOCUMENTS).toContain(text)
    }
    // The vectors of the stand-in mean nothing, so only the reranker can know the answer.
    expect(after.map(([first]) => first)).toEqual(DOCUMENTS.slice(0, 2))
    const ids = stowage.answered.flatMap(({ traceId }) => traceId ?? [])
    const traces = await Promise.all(ids.map(async id => (await stowage.send('GET', `/v1/traces/${id}`)).json as Trace))
    expect(traces.map(({ query, query_source: source, degraded }) => ({ query, source, degraded }))).toEqual(
      QUESTIONS.map(query => ({ query, source: 'relay', degraded: [] })),
    )
    for (const { intent, candidates } of traces) {
      expect(intent).not.toBeNull()
      expect(candidates.some(({ rerank }) => rerank !== null)).toBe(true)
    }
  })
})
