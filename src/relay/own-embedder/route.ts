import type { Request, RequestHandler, Response } from 'express'
import type { CountTokens, Embedder } from '../../core/ports.ts'
import { decodeBody } from '../../http/body/decode-body.ts'
import { readBody } from '../../http/body/read-body.ts'
import { sendJson } from '../../http/body/send-json.ts'
import { goneSignal, tenantOf } from '../../http/caller.ts'
import { Pace } from '../../pipeline/pacing/pace.ts'
import { type QuestionMemory, rememberAll } from '../memory/memory.ts'
import { MOST_QUESTIONS, questionsOf } from '../read/questions.ts'
import { scopeOfRequest } from '../scopes.ts'
import { asOpenAiError, OpenAiError, sendOpenAiError } from './openai-error.ts'
import { type OwnRequest, readOwnRequest } from './request.ts'

interface OwnEmbedderOptions {
  /** The embedder of this moment; null while there is none. */
  embedder(): Embedder | null
  memory: QuestionMemory
  /** Counts the tokens of texts, for `usage`. */
  countTokens: CountTokens
  /** Reports the number of questions that are remembered. */
  report(event: { outcome: 'remembered' | 'skipped'; count: number }): void
}

const MOST_BYTES = 4 * 1024 * 1024

/** `POST /v1/embeddings` of OpenAI, answered with vectors of stowage's own embedder. */
export function createOwnEmbedderRoute(options: OwnEmbedderOptions): RequestHandler {
  return async function embed(request, response) {
    try {
      await answer(request, response, options)
    } catch (error) {
      const known = asOpenAiError(error)
      if (known === null) throw error
      sendOpenAiError(request, response, known)
    }
  }
}

async function answer(request: Request, response: Response, options: OwnEmbedderOptions): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    throw new OpenAiError(405, `${request.path} accepts POST only`)
  }
  const signal = goneSignal(response)
  const json = await readJson(request, response)
  const embedder = options.embedder()
  if (embedder === null)
    throw new OpenAiError(503, 'No embedder is loaded; see /readyz', { code: 'embedder_unavailable' })
  const asked = readOwnRequest(json, embedder)
  const tenant = tenantOf(response)
  const vectors = await embedAll(asked, embedder, tenant?.name ?? null, signal)
  if (signal.aborted) return
  remember(asked, vectors, scopeOfRequest(request, tenant), options)
  const pace = new Pace(signal, { tenant: tenant?.name ?? null })
  let tokens = 0
  for (const text of asked.texts) tokens += await pace.run(options.countTokens(text), 0)
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: printed(vector, asked.encoding),
  }))
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  sendJson(request, response, 200, JSON.stringify({ object: 'list', data, model: embedder.version, usage }))
}

/** A few texts are embedded one by one, because then tenants take turns. */
function embedAll({ texts, side }: OwnRequest, embedder: Embedder, tenant: string | null, signal: AbortSignal) {
  if (side === 'passage' || (side === null && texts.length > MOST_QUESTIONS))
    return embedder.embedPassages(texts, signal)
  return Promise.all(texts.map(text => embedder.embedQuery(text, signal, tenant)))
}

function remember(
  { texts, side }: OwnRequest,
  vectors: readonly Float32Array[],
  scope: string,
  { memory, report }: OwnEmbedderOptions,
): void {
  const questions = side === 'passage' ? [] : questionsOf({ model: '', inputs: texts })
  const count = rememberAll(memory, scope, questions, vectors)
  report(count > 0 ? { outcome: 'remembered', count } : { outcome: 'skipped', count: 1 })
}

async function readJson(request: Request, response: Response): Promise<unknown> {
  const { body, complete } = await readBody(request, response, MOST_BYTES)
  const coding = request.headers['content-encoding'] ?? 'identity'
  const decoded = complete ? await decodeBody(body, coding, MOST_BYTES) : 'body_too_large'
  if (decoded === 'body_too_large') throw new OpenAiError(413, `The body is longer than ${MOST_BYTES} bytes`)
  if (decoded === 'body_unreadable') throw new OpenAiError(400, `content-encoding ${coding} cannot be undone`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decoded))
  } catch (cause) {
    throw new OpenAiError(400, `The body is not valid JSON in UTF-8: ${(cause as Error).message}`, { cause })
  }
}

function printed(vector: Float32Array, encoding: OwnRequest['encoding']): number[] | string {
  if (encoding === 'float') return Array.from(vector)
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
