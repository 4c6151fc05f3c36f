import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isShipped, SHIPPED_EMBEDDER, SHIPPED_RERANKER } from '../support/model-folders.ts'
import { send } from '../support/send.ts'
import { createCommands, STOWAGE } from '../support/stowage-process.ts'

const PDF = fileURLToPath(new URL('../ingest/documents/fixtures/pdf/groff-letter.pdf', import.meta.url))
const CORPUS = fileURLToPath(new URL('../../goldens/isharoth/corpus', import.meta.url))
const BUILT = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

const shipped = isShipped(SHIPPED_EMBEDDER) && isShipped(SHIPPED_RERANKER)
/** With deadlines that no busy machine meets. */
const MODELS: Record<string, string> = shipped
  ? { EMBEDDER: 'local', RERANKER: 'crossencoder', RERANK_DEADLINE_MS: '60000', REQUEST_DEADLINE_MS: '60000' }
  : {}

/** What must work on any supported Node. Resolves with the names of the checks that passed; rejects with the first that failed. */
export async function runOn(binary: string): Promise<{ version: string; passed: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-smoke-'))
  const fromSource = createCommands({ node: binary, script: STOWAGE })
  const passed: string[] = []
  try {
    const asked = await fromSource.node(['--version'])
    const version = asked.out.trim().replace(/^v/u, '')

    const { code } = await checkService(fromSource, join(folder, 'data'))
    assert.equal(code, 0)
    passed.push('ingest, serve and POST /v1/context')

    await checkDemo(fromSource.run)
    passed.push(`demo --json ${shipped ? 'with the shipped models' : 'without models'}`)

    if (existsSync(BUILT)) {
      const built = createCommands({ node: binary, script: BUILT })
      await checkDemo(built.run)
      passed.push('the same from dist, without tsx')
    }
    return { version, passed }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Commands = ReturnType<typeof createCommands>

/** Ingests into a folder, serves it, asks one question, and ends the service. The server must be gone then. */
export async function checkService(commands: Commands, data: string) {
  const environment = { EMBEDDED_PATH: data }
  const ingested = await commands.run(['ingest', CORPUS, '--collection', 'isharoth'], environment)
  assert.equal(ingested.code, 0, ingested.err)
  const paged = await commands.run(['ingest', PDF, '--collection', 'files', '--dry-run'], environment)
  assert.equal(paged.code, 0, paged.err)
  assert.match(paged.out + paged.err, /1 document/u)
  assert.doesNotMatch(paged.out + paged.err, /skipped/u)
  const service = await commands.startListening(['serve', '--port', '0'], environment)
  const question = { query: 'Who is Isharoth?', collection: 'isharoth', budget_tokens: 400 }
  const answer = await send<{ context: string; tokens: number }>(service.url, 'POST', '/v1/context', question)
  const ended = await service.stop('SIGTERM')
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.json.context, /thinking engine/u)
  assert.ok(answer.json.tokens <= 400)
  await assert.rejects(fetch(service.url), /fetch failed/u)
  return ended
}

/** With the shipped models: their native parts are what a version of Node can break. */
export async function checkDemo(run: Commands['run']): Promise<void> {
  const { code, out, err } = await run(['demo', '--json', '--budget', '500'], MODELS)
  assert.equal(code, 0, err)
  const { results } = JSON.parse(out) as { results: { tokens: number; chunks: unknown[]; degraded: unknown[] }[] }
  assert.equal(results.length, 4)
  for (const { tokens, chunks, degraded } of results) {
    assert.ok(tokens > 0 && tokens <= 500)
    assert.ok(chunks.length > 0)
    assert.deepEqual(degraded, [])
  }
}
