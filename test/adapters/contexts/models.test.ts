import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAnthropicModel } from '../../../src/adapters/contexts/anthropic-model.ts'
import type { EndpointOptions } from '../../../src/adapters/contexts/endpoint-options.ts'
import { createOpenAiModel } from '../../../src/adapters/contexts/openai-model.ts'
import type { TokenUsage } from '../../../src/contexts/context.ts'
import type { FailedCallError } from '../../../src/contexts/model-writer.ts'
import { StowageError } from '../../../src/core/errors.ts'
import { type LlmServerOptions, startLlmServer } from '../../support/llm-server.ts'
import { type Reply, startRecordingServer } from '../../support/recording-server.ts'

const { signal } = new AbortController()
const PROMPT = { prefix: '<document>\nThe whole policy.\n</document>\n', suffix: '<chunk>\nThe limit.\n</chunk>' }
const ANSWER = 'Limit of the policy.'
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) await close()
})

const KINDS = [
  { name: 'openai', path: '/v1', create: createOpenAiModel },
  { name: 'anthropic', path: '', create: createAnthropicModel },
]

/** Both models at one server. */
async function modelsOn(options: Partial<LlmServerOptions> = {}, more: Partial<EndpointOptions> = {}) {
  const server = await startLlmServer({ answer: () => ANSWER, retryAfter: '0.001', ...options })
  closing.push(server.close)
  return {
    server,
    asks: KINDS.map(({ create, path }) =>
      create({ baseUrl: server.url + path, apiKey: 'secret', model: 'model-1', timeoutMs: 5_000, ...more }),
    ),
  }
}

async function modelsOnReplies(reply: (count: number) => Reply, more: Partial<EndpointOptions> = {}) {
  const server = await startRecordingServer((_request, count) => reply(count))
  closing.push(server.close)
  const asks = KINDS.map(({ create, path }) =>
    create({ baseUrl: server.url + path, apiKey: 'secret', model: 'model-1', timeoutMs: 5_000, ...more }),
  )
  return { server, asks }
}

const failureOf = (asked: Promise<unknown>): Promise<FailedCallError> =>
  asked.then(
    () => {
      throw new Error('it answered')
    },
    error => error,
  )

describe('the models of both SDKs', () => {
  it('send the document before the chunk, once, with key, model, temperature and most tokens', async () => {
    const { server, asks } = await modelsOn({ key: 'secret', models: ['model-1'] })
    for (const ask of asks) expect((await ask(PROMPT, signal)).text).toBe(ANSWER)
    const [openai, anthropic] = server.stats().requests
    expect(openai?.body).toEqual({
      ...{ model: 'model-1', temperature: 0.3, max_tokens: 150 },
      messages: [{ role: 'user', content: PROMPT.prefix + PROMPT.suffix }],
    })
    expect(anthropic?.body).toEqual({
      ...{ model: 'model-1', temperature: 0.3, max_tokens: 150 },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: PROMPT.prefix, cache_control: { type: 'ephemeral' } },
            { type: 'text', text: PROMPT.suffix },
          ],
        },
      ],
    })
    expect([openai?.document, anthropic?.document]).toEqual(['The whole policy.', 'The whole policy.'])
  })

  it('report what was read anew, from the cache, into the cache, and written', async () => {
    const { asks, server } = await modelsOn()
    const usages: TokenUsage[] = []
    for (const ask of asks) for (let call = 0; call < 2; call++) usages.push((await ask(PROMPT, signal)).usage)
    // The document was in the cache of this server when the second model came.
    expect(usages.map(({ cached }) => cached > 0)).toEqual([false, true, true, true])
    const { inputTokens, cachedTokens, outputTokens } = server.stats()
    const sum = (key: 'input' | 'cached' | 'output') => usages.reduce((total, usage) => total + usage[key], 0)
    expect([sum('input'), sum('cached'), sum('output')]).toEqual([inputTokens, cachedTokens, outputTokens])
  })

  it('read no other key, address, header or log level from the environment', async () => {
    const { server } = await modelsOn()
    const leaks = {
      OPENAI_API_KEY: 'leak',
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
      OPENAI_ORG_ID: 'leak',
      OPENAI_PROJECT_ID: 'leak',
      OPENAI_LOG: 'debug',
      OPENAI_CUSTOM_HEADERS: 'x-leak: leak\nauthorization: leak',
      OPENAI_ADMIN_KEY: 'leak',
      ANTHROPIC_API_KEY: 'leak',
      ANTHROPIC_AUTH_TOKEN: 'leak',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      ANTHROPIC_LOG: 'debug',
      ANTHROPIC_CUSTOM_HEADERS: 'x-leak: leak\nx-api-key: leak\nauthorization: leak',
    }
    for (const [name, value] of Object.entries(leaks)) vi.stubEnv(name, value)
    for (const { create, path } of KINDS)
      await create({ baseUrl: server.url + path, apiKey: '', model: 'm', timeoutMs: 5_000 })(PROMPT, signal)
    const sent = server.stats().requests.map(({ headers }) => headers)
    expect(sent).toHaveLength(2)
    expect(JSON.stringify(sent)).not.toContain('leak')
  })

  it('leave out parameters that the endpoint does not support, from then on', async () => {
    const { server, asks } = await modelsOn({ unsupported: ['temperature'] })
    for (const ask of asks) for (let call = 0; call < 2; call++) expect((await ask(PROMPT, signal)).text).toBe(ANSWER)
    expect(server.stats().requests).toHaveLength(4)
    const strict = await modelsOn({ unsupported: ['temperature', 'max_tokens'] })
    const answers = await Promise.all([1, 2, 3].map(() => strict.asks[0]?.(PROMPT, signal)))
    expect(answers.map(answer => answer?.text)).toEqual([ANSWER, ANSWER, ANSWER])
    expect(strict.server.stats().requests[0]?.body).toMatchObject({ max_completion_tokens: 1024 })
  })

  it('ask again after 429 and 500 as the endpoint says, and fall back in the end', async () => {
    const headers = { 'retry-after': '0.001', 'content-type': 'application/json' }
    for (const [status, fallback] of [
      [429, 'rate_limited'],
      [500, 'endpoint_failed'],
    ] as const) {
      const { server, asks } = await modelsOnReplies(() => ({
        status,
        headers,
        body: '{"error":{"message":"The whole policy."}}',
      }))
      for (const ask of asks) {
        const failed = await failureOf(ask(PROMPT, signal))
        expect(failed).toMatchObject({ fallback })
        expect(failed.message).not.toContain('policy')
      }
      expect(server.requests).toHaveLength(2 * 5)
    }
  })

  it('wait as long as retry-after says, but never an hour', async () => {
    const body = JSON.stringify({
      choices: [{ message: { content: ANSWER } }],
      content: [{ type: 'text', text: ANSWER }],
    })
    const json = { 'content-type': 'application/json' }
    const date = new Date(Date.now() + 3_600_000).toUTCString()
    for (const [said, wait] of [
      ['7', 7_000],
      ['3600', 60_000],
      [date, 60_000],
    ] as const) {
      const waits: number[] = []
      const { asks } = await modelsOnReplies(
        count =>
          count % 2 === 1 ? { status: 429, headers: { 'retry-after': said }, body: '{}' } : { headers: json, body },
        { timeoutMs: 100_000 },
      )
      // The pause is noted and not waited for.
      const startTimer = setTimeout
      vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => {
        if (ms === wait) waits.push(ms)
        return startTimer(run, ms === wait ? 0 : ms)
      })
      try {
        for (const ask of asks) expect((await ask(PROMPT, signal)).text).toBe(ANSWER)
      } finally {
        vi.unstubAllGlobals()
      }
      expect(waits).toEqual([wait, wait])
    }
  })

  it('fall back after answers that break off, stop, hold an error, or are no JSON', async () => {
    const json = { 'content-type': 'application/json' }
    const replies: [string, (count: number) => Reply][] = [
      [
        'endpoint_failed',
        () => response =>
          void response.writeHead(200, { ...json, 'content-length': 100 }).write('{"ch', () => response.destroy()),
      ],
      ['timeout', () => response => void response.writeHead(200, { ...json, 'content-length': 100 }).write('{"ch')],
      ['timeout', () => () => {}],
      ['unreadable', () => ({ status: 200, headers: json, body: '{"error":{"type":"overloaded_error"}}' })],
      ['unreadable', () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' })],
      ['unreadable', () => ({ status: 200, headers: json, body: 'not json' })],
      ['rejected', () => ({ status: 413, headers: json, body: '{}' })],
      ['endpoint_failed', () => null],
    ]
    for (const [fallback, reply] of replies) {
      const { asks } = await modelsOnReplies(reply, { timeoutMs: fallback === 'timeout' ? 100 : 5_000, retries: 0 })
      for (const ask of asks) expect((await failureOf(ask(PROMPT, signal))).fallback).toBe(fallback)
    }
  })

  it('end the run when the key is refused, the model is unknown or the account is empty, and say what to change', async () => {
    for (const [options, named] of [
      [{ key: 'other' }, 'CONTEXT_API_KEY'],
      [{ models: ['other'] }, 'CONTEXT_MODEL'],
    ] as const) {
      const { asks } = await modelsOn(options as Partial<LlmServerOptions>)
      for (const ask of asks) {
        const failed = await failureOf(ask(PROMPT, signal))
        expect(failed).toBeInstanceOf(StowageError)
        expect(failed.message).toContain(named)
        expect(failed.message).not.toContain('secret')
      }
    }
    const { asks } = await modelsOnReplies(() => ({
      status: 429,
      headers: { 'retry-after-ms': '1' },
      body: '{"error":{"code":"insufficient_quota","type":"insufficient_quota","message":"no"}}',
    }))
    expect((await failureOf(asks[0]?.(PROMPT, signal) ?? Promise.resolve())).message).toContain('no credit left')
    const low = 'Your credit balance is too low to access the API. Please go to Plans & Billing.'
    const refused = await modelsOnReplies(() => ({
      status: 400,
      body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: low } }),
    }))
    for (const ask of refused.asks) expect((await failureOf(ask(PROMPT, signal))).message).toContain('no credit left')
  })

  it('go on when an endpoint that asks to wait names its page for payments', async () => {
    for (const [code, message] of [
      [
        'rate_limit_exceeded',
        'Limit 6000, Requested 5500. Try again in 7s. Upgrade at https://endpoint.example/settings/billing',
      ],
      [429, 'You exceeded your current quota, please check your plan and billing details. Limit: 15 per minute.'],
    ]) {
      const body = JSON.stringify({ error: { code, type: 'tokens', message } })
      const { asks } = await modelsOnReplies(() => ({ status: 429, body }), { retries: 0 })
      for (const ask of asks) expect((await failureOf(ask(PROMPT, signal))).fallback).toBe('rate_limited')
    }
  })

  it('send no text to where an endpoint redirects', async () => {
    const elsewhere = await startRecordingServer(() => ({ status: 200, body: '{}' }))
    closing.push(elsewhere.close)
    for (const status of [302, 307, 308]) {
      const location = `${elsewhere.url}/v1/messages`
      const { asks } = await modelsOnReplies(() => ({ status, headers: { location }, body: '' }), { retries: 0 })
      for (const ask of asks) expect((await failureOf(ask(PROMPT, signal))).fallback).toBe('endpoint_failed')
    }
    expect(elsewhere.requests).toEqual([])
  })

  it('end at an abort, also while they wait for the next attempt', async () => {
    const { server, asks } = await modelsOnReplies(() => ({
      status: 429,
      headers: { 'retry-after': '30' },
      body: '{}',
    }))
    for (const [at, ask] of asks.entries()) {
      const controller = new AbortController()
      const asked = ask(PROMPT, controller.signal)
      await vi.waitFor(() => expect(server.requests).toHaveLength(at + 1))
      controller.abort(new Error('ended'))
      await expect(asked).rejects.toThrow('ended')
    }
  })
})
