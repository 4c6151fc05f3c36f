import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { probeServer } from '../../../src/adapters/qdrant/server-state.ts'
import { checkServer } from '../../../src/doctor/server-check.ts'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { listen } from '../../support/listen.ts'
import { startRecordingServer } from '../../support/recording-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function open(server: Server, scheme = 'http'): Promise<string> {
  onTestFinished(() => void server.close())
  return (await listen(server)).replace('http', scheme)
}

/** A Qdrant that answers its root to everybody, and the rest with a status. */
async function qdrantAnswering(status: number): Promise<string> {
  const server = await startRecordingServer(({ path }) =>
    path === '/'
      ? { status: 200, body: '{"title":"qdrant - vector search engine","version":"1.18.3"}' }
      : { status, body: 'Invalid API key or JWT' },
  )
  onTestFinished(() => server.close())
  return server.url
}

/** What doctor says about an address, as text. */
async function said(url: string, apiKey: string | null = null): Promise<string> {
  const state = await probeServer({ url, apiKey })
  const setup = {
    url,
    embedded: false,
    embedder: null,
    mappings: {},
    tenants: null,
    unknownVariables: [],
    unwritable: [],
    flagFaults: [],
  }
  const finding = checkServer(state, { ...setup, unavailable: { embedder: null, reranker: null }, modelWarnings: [] })
  return `${state.kind}: ${finding.detail} → ${finding.fix ?? ''}`
}

describe('an address of Qdrant is told from', () => {
  test('a Qdrant that takes the key', async () => {
    const engine = await startEmbeddedServer()
    onTestFinished(() => engine.close())
    expect(await probeServer({ url: engine.url, apiKey: 'k' })).toMatchObject({ kind: 'qdrant', refusedByFetch: false })
  })

  test.each([401, 403])('a wrong key (%i)', async status => {
    expect(await said(await qdrantAnswering(status), 'wrong')).toMatch(
      /^key_refused: .*refuses the key.*→ Correct QDRANT_API_KEY/u,
    )
  })

  test('a missing key', async () => {
    expect(await said(await qdrantAnswering(401))).toMatch(/^key_refused: .*asks for a key.*→ Set QDRANT_API_KEY/u)
  })

  test('a dead server', async () => {
    const gone = await startEmbeddedServer()
    await gone.close()
    expect(await said(gone.url)).toMatch(/^nobody: no server answers at .*ECONNREFUSED.*→ Start Qdrant at/u)
  })

  test('a host that does not exist', async () => {
    expect(await said('http://qdrant.invalid:6333')).toMatch(/^nobody: .*(?:ENOTFOUND|EAI_AGAIN)/u)
  })

  test('another web server', async () => {
    const url = await open(
      createServer((_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end()),
    )
    expect(await said(url)).toMatch(/^other_service: .* is not a Qdrant: it answers 404 with text\/html/u)
  })

  test('a JSON service with a version of another kind', async () => {
    const url = await open(createServer((_request, response) => response.end('{"version":{"number":"8.1"}}')))
    expect(await said(url)).toMatch(/^other_service: /u)
  })

  test('a gRPC port', async () => {
    expect(await said(await open(createHttp2Server()))).toMatch(/^other_service: .*not in HTTP\/1\.1/u)
    const state = { kind: 'other_service', detail: 'x' } as const
    const setup = {
      url: 'http://q:6334',
      embedded: false,
      embedder: null,
      mappings: {},
      tenants: null,
      unknownVariables: [],
      unwritable: [],
      flagFaults: [],
    }
    expect(
      checkServer(state, { ...setup, unavailable: { embedder: null, reranker: null }, modelWarnings: [] }).fix,
    ).toMatch(/6334.*6333/u)
  })

  test('a server that wants https', async () => {
    expect(await said(await open(createTlsServer({})))).toMatch(
      /^speaks_tls: .*→ Write https:\/\/ in QDRANT_URL: https:/u,
    )
  })

  test('a server that wants http', async () => {
    const url = await open(
      createServer((_request, response) => response.end('{}')),
      'https',
    )
    expect(await said(url)).toMatch(/^speaks_plain_http: .*→ Write http:\/\/ in QDRANT_URL: http:/u)
  })

  test.skipIf(!hasOpenssl())('a certificate that is not trusted', async () => {
    const url = await open(createTlsServer(selfSigned()), 'https')
    expect(await said(url)).toMatch(/^bad_certificate: .*SELF_SIGNED.*→ .*NODE_EXTRA_CA_CERTS/u)
  })
})

test('a port that fetch forbids is told, though stowage itself can use it', async () => {
  // The first free one of the ports that the fetch standard forbids.
  const server = createServer((_request, response) => response.end('{"title":"qdrant","version":"1.18.3"}'))
  const url = await [6666, 6667, 6668, 6669, 6697, 10080].reduce<Promise<string>>(
    (found, port) => found.catch(() => listen(server, port)),
    Promise.reject(new Error('none tried')),
  )
  onTestFinished(() => void server.close())
  expect(await said(url)).toMatch(
    /^qdrant: .*fetch of Node and of browsers refuses this port → Give Qdrant another port/u,
  )
})

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'])
    return true
  } catch {
    return false
  }
}

/** A certificate for this run only. */
function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = temporaryFolder('stowage-tls')
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
