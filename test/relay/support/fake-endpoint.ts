import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { getEncoding } from 'js-tiktoken'
import { vectorOf } from './vectors.ts'

const encoding = getEncoding('cl100k_base')

/** What the endpoint was asked. */
export interface Asked {
  path: string
  headers: IncomingHttpHeaders
}

const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const

type Input = string | string[] | number[] | number[][]

/** The fields of all shapes. */
interface Body {
  model: string
  input: Input
  prompt: string
  texts: string[]
  encoding_format?: string
  embedding_types?: string[]
  dimensions?: number | null
}

/**
 * A stand-in for endpoints of embeddings: it answers in the shapes of OpenAI, Ollama and Cohere with a vector that depends on the text only. The
 * query parameter `coding` compresses the answer. Chat is answered as a stream of events.
 */
export function createFakeEndpoint({ dimensions = 96 } = {}) {
  const asked: Asked[] = []
  const textsOf = (input: Input): string[] => {
    if (typeof input === 'string') return [input]
    if (typeof input[0] === 'number') return [encoding.decode(input as number[])]
    return (input as (string | number[])[]).map(one => (typeof one === 'string' ? one : encoding.decode(one)))
  }
  const vector = (text: string, length?: number | null) => {
    const whole = vectorOf(text, dimensions)
    return Array.from(length == null ? whole : whole.slice(0, length))
  }
  const base64 = (values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64')

  const answers: Record<string, (body: Body) => object> = {
    '/v1/embeddings': ({ input, encoding_format: format, dimensions: length, model }) => ({
      id: 'x',
      object: 'list',
      data: textsOf(input)
        .map((text, index) => ({ object: 'embedding', index, embedding: vector(text, length) }))
        .map(one => (format === 'base64' ? { ...one, embedding: base64(one.embedding) } : one))
        .reverse(),
      model,
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
    '/api/embed': ({ input, model }) => ({ model, embeddings: textsOf(input).map(text => vector(text)) }),
    '/api/embeddings': ({ prompt }) => ({ embedding: vector(prompt) }),
    '/v1/embed': ({ texts }) => ({ id: 'x', texts, embeddings: textsOf(texts).map(text => vector(text)) }),
    '/v2/embed': ({ texts, embedding_types: types = ['float'] }) => ({
      id: 'x',
      embeddings: Object.fromEntries(
        types.map(type => [
          type,
          textsOf(texts).map(text =>
            type === 'base64' ? base64(vector(text)) : type === 'float' ? vector(text) : [1, 2],
          ),
        ]),
      ),
    }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const url = new URL(request.url ?? '', 'http://x')
    asked.push({ path: request.url ?? '', headers: request.headers })
    if (url.pathname === '/v1/chat/completions') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const word of ['to', 'be']) {
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: word } }] })}\n\n`)
        await new Promise(setImmediate)
      }
      response.end('data: [DONE]\n\n')
      return
    }
    const json = (status: number, body: object) => {
      const coding = url.searchParams.get('coding') as keyof typeof CODINGS | null
      const bytes = Buffer.from(JSON.stringify(body))
      response.writeHead(status, { 'content-type': 'application/json', ...(coding && { 'content-encoding': coding }) })
      response.end(coding ? CODINGS[coding](bytes) : bytes)
    }
    try {
      const make = answers[url.pathname]
      if (make === undefined) json(404, { error: { message: 'no such path' } })
      else json(200, make(JSON.parse(Buffer.concat(parts).toString())))
    } catch {
      json(400, { error: { message: 'bad request', type: 'invalid_request_error' } })
    }
  }
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  return { server, asked }
}
