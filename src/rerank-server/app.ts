import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { readBody } from '../http/body/read-body.ts'
import { sendJson } from '../http/body/send-json.ts'
import { limitUploadSilence } from '../http/body/upload-silence.ts'
import { apiKeyOf, goneSignal } from '../http/caller.ts'
import type { Logger } from '../observe/logger.ts'
import { createKeyTable, keyHash } from '../tenants/keys.ts'
import { type FailureKind, RequestFailure } from './failure.ts'
import { createRerankMetrics } from './metrics.ts'
import { readRerankRequest } from './rerank-request.ts'

export interface ServedModel {
  id: string
  dtype: string
  /** Longest input in tokens, special tokens included. */
  maxTokens: number
  /** The languages that it was made for; undefined: any. */
  languages?: readonly string[] | undefined
  /** The logit of each text; null for a text that could not be scored, and when the signal came first. */
  score(query: string, texts: string[], signal: AbortSignal): Promise<(number | null)[]>
  /** Relevance of a logit in [0,1]. */
  relevanceOf(logit: number): number
  /** Number of texts that wait for a worker. */
  waiting(): number
}

interface RerankLimits {
  /** Most bytes of a body. */
  bytes: number
  /** Most texts of a request. */
  texts: number
  /** Most texts of all requests that are not answered. A request to an idle server may have more. */
  queue: number
}

interface RerankAppOptions {
  model: ServedModel
  limits: RerankLimits
  /** Null lets everybody ask. */
  apiKey: string | null
  workers: number
  version: string
  logger: Logger
  /** Longest time for a whole body in milliseconds. Default: 30 s. */
  uploadMs?: number
}

/** What `429` asks clients to wait, in seconds. */
const RETRY_AFTER_S = 1
/** Most bodies of the longest kind that are read at a time. */
const BODIES_AT_ONCE = 16
/** Longest silence of a client in the middle of its body. */
const UPLOAD_SILENCE_MS = 60_000
/** Longest time for a whole body. */
const UPLOAD_MS = 30_000

/** A reranker over HTTP, in the shape of text-embeddings-inference: `/rerank`, `/health`, `/info`, `/metrics`. */
export function createRerankApp(options: RerankAppOptions): RequestListener {
  const { model, limits, apiKey, workers, version, logger, uploadMs = UPLOAD_MS } = options
  const metrics = createRerankMetrics(() => model.waiting())
  let reading = 0
  let unanswered = 0
  const overloaded = (response: ServerResponse): RequestFailure => {
    response.setHeader('retry-after', RETRY_AFTER_S)
    return new RequestFailure('Overloaded', 'Model is overloaded')
  }

  /** Reads a body while there is memory for what has arrived of all bodies that are being read. */
  const read = async (request: IncomingMessage, response: ServerResponse): Promise<Buffer> => {
    const stop = new AbortController()
    let bytes = 0
    const count = (part: Buffer) => {
      bytes += part.length
      reading += part.length
      if (reading > BODIES_AT_ONCE * limits.bytes) stop.abort(overloaded(response))
    }
    const timer = setTimeout(() => {
      response.setHeader('connection', 'close')
      response.once('finish', () => request.destroy())
      stop.abort(new RequestFailure('Validation', `the body took longer than ${uploadMs / 1_000} s`, 408))
    }, uploadMs)
    request.on('data', count)
    try {
      const { body, complete } = await readBody(request, response, limits.bytes, stop.signal)
      if (complete) return body
      throw new RequestFailure('Validation', `the body is longer than ${limits.bytes} bytes`)
    } finally {
      clearTimeout(timer)
      request.off('data', count)
      reading -= bytes
    }
  }

  const rerank: RequestHandler = async (request, response) => {
    const from = performance.now()
    metrics.requests.inc()
    const body = await read(request, response)
    const { query, texts, raw_scores: raw, return_text: withText } = readRerankRequest(body, limits.texts)
    if (unanswered > 0 && unanswered + texts.length > limits.queue) throw overloaded(response)
    unanswered += texts.length
    try {
      const signal = goneSignal(response)
      const logits = await model.score(query, texts, signal).catch((cause: Error) => {
        throw new RequestFailure('Backend', `Inference failed: ${cause.message}`)
      })
      if (signal.aborted) return
      const ranks = logits.map((logit, index) => {
        if (logit === null || !Number.isFinite(logit)) throw new RequestFailure('Backend', 'Inference failed')
        const score = raw ? logit : model.relevanceOf(logit)
        return { index, score, ...(withText && { text: texts[index] }) }
      })
      ranks.sort((one, other) => other.score - one.score)
      sendJson(request, response, 200, JSON.stringify(ranks))
      metrics.successes.inc()
      metrics.texts.inc(texts.length)
      metrics.seconds.observe((performance.now() - from) / 1_000)
    } finally {
      unanswered -= texts.length
    }
  }

  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', false)
  app.use(
    limitUploadSilence(UPLOAD_SILENCE_MS, (request, response, { status, message }) =>
      sendJson(request, response, status, printFailure('Validation', message)),
    ),
  )
  // Open to everybody: what starts and watches processes has no key.
  app.get('/health', (_request, response) => void response.end())
  app.use(requireKey(apiKey))
  app.get('/info', (request, response) => sendJson(request, response, 200, info(model, limits, workers, version)))
  app.get('/metrics', async (_request, response) => {
    response.setHeader('content-type', metrics.registry.contentType)
    response.end(await metrics.registry.metrics())
  })
  // text-embeddings-inference serves a reranker at the root too.
  app.post(['/rerank', '/'], rerank)
  app.use((request, response) => {
    const message = `${request.method} ${request.path.slice(0, 100)} is not served, only POST /rerank, GET /health, /info, /metrics`
    sendJson(request, response, 404, printFailure('Validation', message))
  })
  const answerError: ErrorRequestHandler = (error: Error, request, response, _next) => {
    if (response.headersSent || response.destroyed) return void response.destroy()
    const failure =
      error instanceof RequestFailure ? error : new RequestFailure('Backend', 'Internal error; see the log', 500)
    metrics.failures.inc({ err: failure.kind })
    if (failure !== error) logger.error({ err: error }, 'a request failed')
    sendJson(request, response, failure.status, printFailure(failure.kind, failure.message))
  }
  app.use(answerError)
  return app
}

function printFailure(kind: FailureKind, message: string): string {
  return JSON.stringify({ error: message, error_type: kind })
}

function requireKey(apiKey: string | null): RequestHandler {
  if (apiKey === null) return (_request, _response, next) => next()
  const ownerOf = createKeyTable([[keyHash(apiKey), true]])
  return (request, response, next) => {
    const key = apiKeyOf(request)
    if (key !== null && ownerOf(key)) return next()
    response.setHeader('www-authenticate', 'Bearer')
    sendJson(request, response, 401, printFailure('Validation', 'a valid bearer key is needed'))
  }
}

/** `GET /info` of text-embeddings-inference, with what this server has no part for at null or at what comes closest. */
function info(model: ServedModel, limits: RerankLimits, workers: number, version: string): string {
  return JSON.stringify({
    model_id: model.id,
    model_sha: null,
    model_dtype: model.dtype,
    model_type: { reranker: { id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } } },
    max_concurrent_requests: limits.queue,
    max_input_length: model.maxTokens,
    max_batch_tokens: model.maxTokens,
    max_batch_requests: null,
    max_client_batch_size: limits.texts,
    auto_truncate: true,
    tokenization_workers: workers,
    version,
    sha: null,
    docker_label: null,
    // Not a field of text-embeddings-inference.
    languages: model.languages,
  })
}
