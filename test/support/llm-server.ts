import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { sha256 } from '../../src/text/fingerprint.ts'
import { listen } from './listen.ts'

/** What the server can do wrong. */
export type LlmFault =
  /** Answers after `slowMs`. */
  | 'slow'
  /** 429 with `retry-after`. */
  | 'tooMany'
  /** 500. */
  | 'serverError'
  /** Closes the connection in the middle of the answer. */
  | 'cut'
  | 'refusal'
  | 'wrongLanguage'
  | 'empty'
  /** 200 with HTML. */
  | 'notJson'
  /** 200 with an error in the place of an answer. */
  | 'errorInside'

export interface Asked {
  /** Between the tags of the document in the prompt; '' without them. */
  document: string
  /** Between the last tags of a chunk in the prompt; '' without them. */
  chunk: string
  /** The whole prompt. */
  prompt: string
  model: string
}

export interface LlmServerOptions {
  answer: (asked: Asked) => string
  /** Share of the requests that each fault hits; together at most 1. */
  faults?: Partial<Record<LlmFault, number>>
  seed?: number
  /** Time of every answer, in milliseconds. */
  latencyMs?: number
  /** Time of a slow answer, in milliseconds. */
  slowMs?: number
  /** In seconds, as the header `retry-after` of 429 and 500 says it. */
  retryAfter?: string
  /** Other keys get 401. */
  key?: string
  /** Other models get 404. */
  models?: string[]
  /** Parameters that get 400, such as `max_tokens`. */
  unsupported?: string[]
}

export interface AnsweredRequest extends Asked {
  /** Of the client: 0 at its first attempt. */
  retry: number
  /** Numbers on one clock of events: request in, answer out. */
  began: number
  ended: number | null
  /** In milliseconds since the server started. */
  beganMs: number
  body: Record<string, unknown>
  headers: IncomingMessage['headers']
  fault: LlmFault | null
  cachedTokens: number
}

export interface LlmStats {
  requests: readonly AnsweredRequest[]
  inFlight: number
  mostInFlight: number
  /** By the usage that the answers reported. */
  inputTokens: number
  cachedTokens: number
  cacheWrittenTokens: number
  outputTokens: number
  faults: Readonly<Partial<Record<LlmFault, number>>>
}

export interface LlmServer {
  /** Without a path. The OpenAI-compatible base URL is this with `/v1`; that for Anthropic is this. */
  url: string
  stats(): LlmStats
  close(): Promise<void>
}

/** As the server counts tokens: four characters each. */
export const llmTokens = (text: string): number => Math.ceil(text.length / 4)

const REFUSAL = "I'm sorry, but I cannot help with that request."
const WRONG_LANGUAGE =
  'Dieser Abschnitt gehört zu der Übersicht über die Regeln und beschreibt, was für die meisten Kunden gilt und wie sie mit den Fristen umgehen, wenn sie nicht wissen, was sie tun müssen.'

/**
 * A language model on loopback with the routes of OpenAI (`/v1/chat/completions`) and Anthropic (`/v1/messages`). Its faults are a function of
 * the seed, the prompt and the number of the client's attempt, so they depend neither on the order of requests nor on earlier runs. A
 * document is in the prompt cache once the first answer about it has begun.
 */
export async function startLlmServer(options: LlmServerOptions): Promise<LlmServer> {
  const { answer, faults = {}, seed = 1, latencyMs = 0, slowMs = 50, retryAfter = '0.01' } = options
  const requests: AnsweredRequest[] = []
  const cachedDocuments = new Set<string>()
  const counted = { inputTokens: 0, cachedTokens: 0, cacheWrittenTokens: 0, outputTokens: 0 }
  const faultCounts: Partial<Record<LlmFault, number>> = {}
  const started = performance.now()
  let clock = 0
  let inFlight = 0
  let mostInFlight = 0

  function drawFault(prompt: string, retry: number): LlmFault | null {
    let left = seededRandom(Number.parseInt(sha256(`${seed} ${retry} ${prompt}`).slice(0, 8), 16))()
    for (const [fault, rate] of Object.entries(faults) as [LlmFault, number][]) {
      if (left < rate) return fault
      left -= rate
    }
    return null
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await readText(request)) || '{}') as Record<string, unknown>
    const anthropic = request.url?.startsWith('/v1/messages') ?? false
    const refused = refusalOf(request, body, options)
    if (refused !== null) return send(response, refused.status, { error: { type: 'error', ...refused } })
    const prompt = promptOf(body)
    const retry = Number(request.headers['x-stainless-retry-count'] ?? 0)
    const fault = drawFault(prompt, retry)
    const [document, chunk] = [between(prompt, 'document'), between(prompt, 'chunk')]
    const asked: Asked = { document, chunk, prompt, model: String(body.model) }
    const cached = document !== '' && cachedDocuments.has(document) ? llmTokens(document) : 0
    const record: AnsweredRequest = {
      ...asked,
      ...{ retry, began: clock++, ended: null, beganMs: performance.now() - started },
      ...{ body, headers: request.headers, fault, cachedTokens: cached },
    }
    requests.push(record)
    if (fault !== null) faultCounts[fault] = (faultCounts[fault] ?? 0) + 1
    mostInFlight = Math.max(mostInFlight, ++inFlight)
    const leave = () => {
      if (record.ended !== null) return
      inFlight--
      record.ended = clock++
    }
    // The client may leave first. Otherwise the request ends before its answer, so that the next one of the client is not counted beside it.
    response.once('close', leave)
    await pause(latencyMs + (fault === 'slow' ? slowMs : 0))
    leave()
    if (fault === 'tooMany') return send(response, 429, errorBody('rate_limit_error'), { 'retry-after': retryAfter })
    if (fault === 'serverError') return send(response, 500, errorBody('api_error'), { 'retry-after': retryAfter })
    if (fault === 'notJson')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')
    if (fault === 'errorInside') return send(response, 200, errorBody('overloaded_error'))
    const text =
      fault === 'refusal'
        ? REFUSAL
        : fault === 'wrongLanguage'
          ? WRONG_LANGUAGE
          : fault === 'empty'
            ? ''
            : answer(asked)
    cachedDocuments.add(document)
    const output = llmTokens(text)
    const written = cached > 0 ? 0 : llmTokens(document)
    const json = JSON.stringify(
      anthropic
        ? anthropicAnswer(asked.model, text, { prompt: llmTokens(prompt) - cached - written, cached, written, output })
        : openAiAnswer(asked.model, text, { prompt: llmTokens(prompt), cached, output }),
    )
    if (fault === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) })
      response.write(json.slice(0, json.length / 2), () => response.destroy())
      return
    }
    counted.inputTokens += llmTokens(prompt) - cached - (anthropic ? written : 0)
    counted.cachedTokens += cached
    counted.cacheWrittenTokens += anthropic ? written : 0
    counted.outputTokens += output
    response.writeHead(200, { 'content-type': 'application/json' }).end(json)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(error => response.destroy(error))
  })
  const url = await listen(server)
  return {
    url,
    stats: () => ({ requests, inFlight, mostInFlight, ...counted, faults: faultCounts }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refusalOf(
  { headers }: IncomingMessage,
  body: Record<string, unknown>,
  { key, models, unsupported = [] }: LlmServerOptions,
): { status: number; message: string; code: string | null } | null {
  const given = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /u, '')
  if (key !== undefined && given !== key)
    return { status: 401, message: `no such key: ${given}`, code: 'invalid_api_key' }
  if (models !== undefined && !models.includes(String(body.model)))
    return { status: 404, message: 'no such model', code: 'model_not_found' }
  const wrong = unsupported.find(name => name in body)
  if (wrong === undefined) return null
  return {
    status: 400,
    message: `Unsupported parameter: '${wrong}' is not supported with this model.`,
    code: 'unsupported_parameter',
  }
}

function openAiAnswer(model: string, content: string, used: { prompt: number; cached: number; output: number }) {
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 0, model },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: used.prompt,
      completion_tokens: used.output,
      total_tokens: used.prompt + used.output,
      prompt_tokens_details: { cached_tokens: used.cached },
    },
  }
}

function anthropicAnswer(
  model: string,
  text: string,
  used: { prompt: number; cached: number; written: number; output: number },
) {
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn', stop_sequence: null },
    content: text === '' ? [] : [{ type: 'text', text }],
    usage: {
      input_tokens: used.prompt,
      cache_read_input_tokens: used.cached,
      cache_creation_input_tokens: used.written,
      output_tokens: used.output,
    },
  }
}

const errorBody = (type: string) => ({ type: 'error', error: { type, message: 'try again later' } })

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** The texts of all messages, in order: system, then those of the conversation. */
function promptOf({ system = '', messages = [] }: { system?: unknown; messages?: unknown }): string {
  const textOf = (content: unknown): string =>
    Array.isArray(content) ? content.map(({ text }) => text).join('') : String(content ?? '')
  return [textOf(system), ...(messages as { content: unknown }[]).map(({ content }) => textOf(content))].join('\n')
}

function between(prompt: string, tag: string): string {
  const end = prompt.lastIndexOf(`\n</${tag}>`)
  const start = prompt.lastIndexOf(`<${tag}>\n`, end)
  return end < 0 || start < 0 ? '' : prompt.slice(start + tag.length + 3, end)
}
