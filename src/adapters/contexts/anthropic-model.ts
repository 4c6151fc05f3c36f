import Anthropic from '@anthropic-ai/sdk'
import type { TokenUsage } from '../../contexts/context.ts'
import { type AskModel, FailedCallError } from '../../contexts/model-writer.ts'
import { abortable } from './abortable.ts'
import { ANTHROPIC_URL, type EndpointOptions, MOST_OUTPUT_TOKENS, RETRIES, TEMPERATURE } from './endpoint-options.ts'
import { describeFailure } from './failed-call.ts'
import { fetchWholeAnswer } from './whole-answer-fetch.ts'

/** Calls of a model of Anthropic. The document is a block of its own that the endpoint caches for five minutes. */
export function createAnthropicModel({
  baseUrl,
  apiKey,
  model,
  timeoutMs,
  retries = RETRIES,
}: EndpointOptions): AskModel {
  const key = apiKey || 'none'
  // The client takes missing options from the environment.
  const client = new Anthropic({
    apiKey: key,
    baseURL: baseUrl ?? ANTHROPIC_URL,
    webhookKey: null,
    openTelemetry: false,
    defaultHeaders: { 'x-api-key': key, authorization: null },
    logLevel: 'off',
    maxRetries: retries,
    timeout: timeoutMs,
    fetch: fetchWholeAnswer,
  })
  let supportsTemperature = true

  const ask: AskModel = async ({ prefix, suffix }, signal) => {
    const temperature = supportsTemperature ? { temperature: TEMPERATURE } : {}
    try {
      const reply = await abortable(
        client.messages.create(
          {
            model,
            max_tokens: MOST_OUTPUT_TOKENS,
            ...temperature,
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: prefix, cache_control: { type: 'ephemeral' } },
                  { type: 'text', text: suffix },
                ],
              },
            ],
          },
          { signal },
        ),
        signal,
      )
      const usage = usageOf(reply.usage)
      if (!Array.isArray(reply.content)) throw new FailedCallError('unreadable', 'the answer holds no text', { usage })
      const text = reply.content.map(block => (block.type === 'text' ? block.text : '')).join('')
      return { text, usage, cutOff: reply.stop_reason === 'max_tokens' }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof FailedCallError) throw error
      const refused = error instanceof Anthropic.APIError && error.status === 400 && /temperature/u.test(error.message)
      // It is left out once, so this ends. Other calls may have left it out meanwhile.
      if (!refused || !('temperature' in temperature)) throw describeFailure(error, model)
      supportsTemperature = false
      return ask({ prefix, suffix }, signal)
    }
  }
  return ask
}

function usageOf(usage: Anthropic.Usage | undefined | null): TokenUsage {
  return {
    input: usage?.input_tokens ?? 0,
    cached: usage?.cache_read_input_tokens ?? 0,
    cacheWritten: usage?.cache_creation_input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
  }
}
