import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { startWarnings } from '../../src/wiring/start-warnings.ts'
import { startListening } from '../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

const complete = {
  config: loadConfig({ QDRANT_URL: 'http://qdrant:6333' }),
  embedded: false,
  host: '0.0.0.0',
  unavailable: { embedder: null, reranker: null },
  modelWarnings: [],
  unwritable: [],
  operators: null,
}
const embedded = { ...complete, config: loadConfig({ EMBEDDED_PATH: '/data' }), embedded: true, host: '127.0.0.1' }

describe('warnings at the start', () => {
  test.each([
    ['nothing is missing', complete, []],
    ['nothing is missing on the embedded engine', embedded, []],
    [
      'models are missing',
      { ...complete, unavailable: { embedder: 'no file model.onnx', reranker: 'no file rank.onnx' } },
      [/no embedder.*: no file model\.onnx/u, /no reranker: no file rank\.onnx/u],
    ],
    ['a model is slower than it could be', { ...complete, modelWarnings: ['slow model'] }, [/slow model/u]],
    ['points would be lost', { ...embedded, config: loadConfig({}) }, [/QDRANT_URL .* EMBEDDED_PATH/u]],
    ['the engine is open to others', { ...embedded, host: '0.0.0.0' }, [/no key.*HOST=0\.0\.0\.0/u]],
    [
      'the engine is open to those with a key of a tenant',
      { ...embedded, config: loadConfig({ EMBEDDED_PATH: '/data', TENANTS_FILE: 't.yaml' }), host: '0.0.0.0' },
      [],
    ],
    [
      'agents on other machines can start jobs',
      { ...complete, config: loadConfig({ QDRANT_URL: 'http://qdrant:6333', MCP: 'on' }) },
      [/MCP=on without TENANTS_FILE.*HOST=0\.0\.0\.0/u],
    ],
    ['nobody can read the metrics', { ...complete, operators: 0 }, [/no key of an operator.*\/v1\/metrics/u]],
    ['an operator can read the metrics', { ...complete, operators: 1 }, []],
    [
      'the shared store is of no use',
      {
        ...complete,
        embedded: true,
        host: '127.0.0.1',
        config: loadConfig({ REDIS_URL: 'redis://redis:6379', EMBEDDED_PATH: '/data' }),
      },
      [/^REDIS_URL shares nothing/u],
    ],
    ['a variable is misspelt', { ...complete, config: loadConfig({ RERANKR: 'off' }) }, [/^RERANKR: .*RERANKER/u]],
  ])('when %s', (_case, started, expected) => {
    const warnings = startWarnings(started)
    expect(warnings).toHaveLength(expected.length)
    for (const [index, pattern] of expected.entries()) expect(warnings[index]).toMatch(pattern)
  })

  test('and one line for a request are JSON on stderr of `stowage serve`', { timeout: CHILD_PROCESS_MS }, async () => {
    const environment = { LOG_LEVEL: 'info', RERANKR: 'off', TRACE_FILE: tmpdir() }
    const service = await startListening(['serve', '--port', '0'], environment)
    const body = JSON.stringify({ query: 'a private question', collection: 'none' })
    const asked = await fetch(`${service.url}/v1/context`, { method: 'POST', headers: { 'api-key': 's3cret' }, body })
    await asked.text()
    const { err } = await service.stop('SIGTERM')
    const lines = err
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual([
      expect.stringContaining('RERANKR'),
      `TRACE_FILE=${tmpdir()}: cannot be written, so traces are not kept there: ${tmpdir()} is not a file`,
      expect.stringContaining('EMBEDDED_PATH'),
    ])
    const requests = lines.filter(({ msg }) => msg === 'request finished')
    expect(requests).toEqual([expect.objectContaining({ level: 30, route: 'POST /v1/context', status: asked.status })])
    expect(err).not.toMatch(/s3cret|private question/u)
  })
})
