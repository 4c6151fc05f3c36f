import { describe, expect, it, onTestFinished } from 'vitest'
import { createChatModel } from '../../../src/adapters/judge/openai-chat.ts'
import { type JsonAnswer, startJsonServer } from '../../support/json-server.ts'

const { signal } = new AbortController()
const prompt = { system: 'Judge.', user: 'This.' }
const reply = (content: unknown) => ({
  body: { choices: [{ message: { role: 'assistant', content } }], usage: { prompt_tokens: 7, completion_tokens: 2 } },
})

/** A model on a server that answers in this order; the last answer repeats. */
async function modelOn(...answers: JsonAnswer[]) {
  let at = 0
  const server = await startJsonServer(() => answers[Math.min(at++, answers.length - 1)] ?? 'never')
  onTestFinished(() => server.close())
  return {
    server,
    ...createChatModel({
      baseUrl: `${server.url}/v1`,
      apiKey: 'secret',
      model: 'judge-1',
      timeoutMs: answers.includes('never') ? 300 : 10_000,
    }),
  }
}

describe('a language model behind an OpenAI-compatible endpoint', () => {
  it('sends both parts of the prompt with the key, and counts what it uses', async () => {
    const { server, ask, usage } = await modelOn(reply('fine'))
    expect(await ask(prompt, signal)).toBe('fine')
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret' },
      body: {
        model: 'judge-1',
        temperature: 0,
        messages: [
          { role: 'system', content: 'Judge.' },
          { role: 'user', content: 'This.' },
        ],
      },
    })
    expect(usage).toEqual({ calls: 1, inputTokens: 7, outputTokens: 2 })
  })

  it('asks again after a failure that may pass: too many requests, a fault of the server, no answer in time', async () => {
    const soon = { 'retry-after-ms': '1' }
    const busy = { status: 429, headers: soon, body: {} }
    const { server, ask } = await modelOn(busy, { status: 500, headers: soon, body: 'oops' }, reply('after all'))
    expect(await ask(prompt, signal)).toBe('after all')
    expect(server.requests).toHaveLength(3)
  })

  it('fails with the reason, without the key', async () => {
    const { ask } = await modelOn({ status: 401, body: { error: { message: 'no such key' } } })
    const refused = await ask(prompt, signal).catch((error: Error) => error.message)
    expect(refused).toMatch(/the judge judge-1 failed: 401 no such key/u)
    expect(refused).not.toContain('secret')
    for (const body of [{}, { choices: [] }, { choices: [{ message: { content: null } }] }]) {
      const broken = await modelOn({ body })
      await expect(broken.ask(prompt, signal)).rejects.toThrow('it replied without a text')
    }
  })

  it('ends at an abort', async () => {
    const { ask } = await modelOn('never')
    const controller = new AbortController()
    const asked = ask(prompt, controller.signal)
    controller.abort(new Error('ended'))
    await expect(asked).rejects.toThrow('ended')
  })
})
