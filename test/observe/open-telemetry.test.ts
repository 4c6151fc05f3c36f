import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { type ReceivedSpan, startBadReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { startRecordingServer } from '../support/recording-server.ts'
import { send, sendOk } from '../support/send.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { startListening } from '../support/stowage-process.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`
const QUESTION = { query: 'a private question on keels', collection: 'docs', vector: [1, 0], budget_tokens: 300 }
const SEARCH = { query: [1, 0], limit: 2, with_payload: true }

const open = <Value extends { close(): unknown }>(value: Value): Value => {
  onTestFinished(async () => void (await value.close()))
  return value
}

async function openEngine() {
  const engine = open(await startEmbeddedServer())
  await sendOk(engine.url, 'PUT', '/collections/docs', { vectors: { size: 2, distance: 'Dot' } })
  const points = [1, 2].map(id => ({ id, vector: [id, 1], payload: { text: `Passage ${id} about keels.` } }))
  await sendOk(engine.url, 'PUT', '/collections/docs/points?wait=true', { points })
  return engine
}

async function openTraced(environment: Record<string, string>) {
  const log: string[] = []
  const logger = createLogger({ level: 'debug', destination: { write: line => void log.push(line) } })
  const engine = await openEngine()
  return { log, engine, stowage: await openStowage({ QDRANT_URL: engine.url, ...environment }, logger) }
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter(span => span.name === name)

describe('spans over OTLP', () => {
  it('continue the trace of the client: request, retrieval, stages and reads, with their attributes', async () => {
    const receiver = open(await startOtlpReceiver())
    const { stowage, log } = await openTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    })
    const answer = await stowage.ask({ ...QUESTION, trace: true }, { traceparent: TRACEPARENT, 'api-key': 's3cret' })
    const { json } = answer
    await stowage.close()

    const { spans } = receiver
    expect(receiver.requests[0]?.path).toBe('/v1/traces')
    const [server] = named(spans, 'POST /v1/context')
    expect(server).toMatchObject({ kind: 2, traceId: TRACE_ID, parentSpanId: '00f067aa0ba902b7' })
    expect(server?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/context',
      'http.response.status_code': 200,
      'stowage.trace_id': json.trace_id,
      'stowage.outcome': 'ok',
    })
    const [retrieval] = named(spans, 'retrieval docs')
    expect(retrieval).toMatchObject({ kind: 3, traceId: TRACE_ID, parentSpanId: server?.spanId })
    expect(retrieval?.attributes).toMatchObject({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.data_source.id': 'docs',
      'stowage.plan.fingerprint': json.trace?.plan_fingerprint,
      'stowage.budget.tokens': 300,
      'stowage.context.tokens': json.tokens,
      'stowage.candidates.packed': json.chunks.length,
      'stowage.degraded': json.degraded.map(({ code }) => code),
    })
    const stages = spans.filter(({ parentSpanId }) => parentSpanId === retrieval?.spanId)
    expect(stages.map(({ name }) => name)).toEqual(json.trace?.stages.map(({ name }) => name))
    for (const stage of stages) {
      expect(BigInt(stage.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(retrieval?.startTimeUnixNano ?? 0))
      expect(BigInt(stage.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(stage.startTimeUnixNano))
    }
    const reads = spans.filter(({ kind, name }) => kind === 3 && name !== 'retrieval docs')
    expect(reads.length).toBeGreaterThan(0)
    for (const read of reads) expect(read).toMatchObject({ traceId: TRACE_ID, parentSpanId: server?.spanId })
    expect(JSON.stringify(spans)).not.toMatch(/private question|s3cret/u)
    const line = log.map(text => JSON.parse(text)).find(({ msg }) => msg === 'request finished')
    expect(line).toMatchObject({ otelTraceId: TRACE_ID, traceId: json.trace_id })
  })

  it('tell how many chunks or points the client asked for, where it says so', async () => {
    const receiver = open(await startOtlpReceiver())
    const { stowage } = await openTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    })
    await stowage.ask(QUESTION)
    await stowage.ask({ ...QUESTION, limit: 3 })
    await stowage.send('POST', '/collections/docs/points/query', { ...SEARCH, offset: 5 })
    await stowage.close()
    const asked = named(receiver.spans, 'retrieval docs').map(({ attributes }) => attributes['gen_ai.retrieval.top_k'])
    expect(asked).toEqual([undefined, 3, SEARCH.limit + 5])
    // That one is for the sampling of a language model.
    for (const { attributes } of receiver.spans) expect(attributes).not.toHaveProperty('gen_ai.request.top_k')
  })

  it('are protobuf by default, and hold query text only where the setting allows it', async () => {
    const receiver = open(await startOtlpReceiver())
    const { stowage } = await openTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, LOG_QUERY_TEXT: 'text' })
    await stowage.ask(QUESTION)
    await stowage.close()
    const [{ type, body } = { type: '', body: Buffer.alloc(0) }] = receiver.requests
    expect(type).toBe('application/x-protobuf')
    expect(body.toString('latin1')).toContain('gen_ai.retrieval.query.text')
    expect(body.toString('latin1')).toContain(QUESTION.query)
  })

  it('tell Qdrant of the span in own reads, and leave every forwarded header as it is', async () => {
    const receiver = open(await startOtlpReceiver())
    const qdrant = open(await startRecordingServer(() => ({ status: 500, body: 'no' })))
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
    const stowage = await openStowage({ QDRANT_URL: qdrant.url, ...traced })
    await stowage.send('POST', '/collections/docs/points/query', SEARCH, { traceparent: TRACEPARENT })
    await stowage.close()
    const [own, forwarded] = qdrant.requests.filter(({ path }) => path.startsWith('/collections/docs'))
    const spanIds = receiver.spans.map(({ spanId }) => spanId)
    const [, traceId, parent] = String(own?.headers.traceparent).split('-')
    expect(traceId).toBe(TRACE_ID)
    expect(spanIds).toContain(parent)
    expect(forwarded?.headers.traceparent).toBe(TRACEPARENT)
  })

  it('are not sent, and no header is added, while no receiver is named', async () => {
    const qdrant = open(await startRecordingServer(() => ({ status: 500, body: 'no' })))
    const stowage = open(await openStowage({ QDRANT_URL: qdrant.url, OTEL_TRACES_EXPORTER: 'none' }))
    await stowage.ask(QUESTION)
    expect(qdrant.requests.length).toBeGreaterThan(0)
    for (const { headers } of qdrant.requests) expect(headers).not.toHaveProperty('traceparent')
  })
})

describe('a receiver that', () => {
  const bad: [name: string, url: () => Promise<string>][] = [
    ['is not there', async () => 'http://127.0.0.1:1'],
    ['never answers', async () => open(await startBadReceiver(() => {})).url],
    ['refuses', async () => open(await startBadReceiver((_, response) => void response.writeHead(400).end())).url],
    ['hangs up', async () => open(await startBadReceiver(request => void request.socket.destroy())).url],
  ]
  it.each(bad)('%s changes no answer, and the end does not wait for it', async (_name, url) => {
    const { stowage, engine } = await openTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: await url() })
    const plain = open(await openStowage({ QDRANT_URL: engine.url }))
    const [context, expected] = [await stowage.ask(QUESTION), await plain.ask(QUESTION)]
    expect({ ...context.json, trace_id: '' }).toEqual({ ...expected.json, trace_id: '' })
    const path = '/collections/docs/points/query'
    const result = async (of: Stowage) => JSON.parse((await of.send('POST', path, SEARCH)).text).result
    const points = await result(plain)
    expect(points.points).toHaveLength(2)
    expect(await result(stowage)).toEqual(points)
    await stowage.close()
  })

  it('never answers does not keep the process of serve alive', async () => {
    let asked = 0
    const hanging = open(await startBadReceiver(() => void asked++))
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url, OTEL_EXPORTER_OTLP_TIMEOUT: '1500' }
    const serve = await startListening(['serve', '--port', '0'], environment)
    expect((await send(serve.url, 'GET', '/healthz')).status).toBe(200)
    expect((await serve.stop('SIGTERM')).code).toBe(0)
    expect(asked).toBeGreaterThan(0)
  })
})
