import OpenAI from 'openai'
import type { TokenUsage } from '../../contexts/context.ts'
import { type AskModel, FailedCallError } from '../../contexts/model-writer.ts'
import { createOpenAiClient } from '../openai-client.ts'
import { abortable } from './abortable.ts'
import {
  type EndpointOptions,
  MOST_OUTPUT_TOKENS,
  MOST_WITH_THOUGHTS,
  OPENAI_URL,
  RETRIES,
  TEMPERATURE,
} from './endpoint-options.ts'
import { describeFailure } from './failed-call.ts'
import { fetchWholeAnswer } from './whole-answer-fetch.ts'

/** Calls of a model behind an OpenAI-compatible endpoint. Parameters that the endpoint does not support are left out from then on. */
export function createOpenAiModel({ baseUrl, apiKey, model, timeoutMs, retries = RETRIES }: EndpointOptions): AskModel {
  const client = createOpenAiClient({
    apiKey,
    baseURL: baseUrl ?? OPENAI_URL,
    defaultHeaders: { authorization: `Bearer ${apiKey || 'none'}` },
    maxRetries: retries,
    timeout: timeoutMs,
    fetch: fetchWholeAnswer,
  })
  const unsupported = new Set<'max_tokens' | 'temperature'>()

  const parameters = () => ({
    ...(unsupported.has('temperature') ? {} : { temperature: TEMPERATURE }),
    ...(unsupported.has('max_tokens')
      ? { max_completion_tokens: MOST_WITH_THOUGHTS }
      : { max_tokens: MOST_OUTPUT_TOKENS }),
  })

  const ask: AskModel = async ({ prefix, suffix }, signal) => {
    const sent = parameters()
    try {
      const reply = await abortable(
        client.chat.completions.create(
          { model, messages: [{ role: 'user', content: prefix + suffix }], ...sent },
          { signal },
        ),
        signal,
      )
      const usage = usageOf(reply.usage)
      const [choice] = reply.choices ?? []
      const text = choice?.message?.content
      if (typeof text !== 'string') throw new FailedCallError('unreadable', 'the answer holds no text', { usage })
      return { text, usage, cutOff: choice?.finish_reason === 'length' }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof FailedCallError) throw error
      const parameter = refusedParameter(error, sent)
      // Each parameter is left out once, so this ends. Other calls may have left it out meanwhile.
      if (parameter === null) throw describeFailure(error, model)
      unsupported.add(parameter)
      return ask({ prefix, suffix }, signal)
    }
  }
  return ask
}

/** The parameter of a call that the endpoint does not support; null when the error is another one. */
function refusedParameter(error: unknown, sent: object): 'max_tokens' | 'temperature' | null {
  if (!(error instanceof OpenAI.APIError) || (error.status !== 400 && error.status !== 422)) return null
  const said = `${error.param ?? ''} ${error.message}`
  if ('max_tokens' in sent && said.includes('max_tokens')) return 'max_tokens'
  return 'temperature' in sent && said.includes('temperature') ? 'temperature' : null
}

function usageOf(usage: OpenAI.CompletionUsage | undefined | null): TokenUsage {
  const prompt = usage?.prompt_tokens ?? 0
  const cached = Math.min(prompt, usage?.prompt_tokens_details?.cached_tokens ?? 0)
  return { input: prompt - cached, cached, cacheWritten: 0, output: usage?.completion_tokens ?? 0 }
}
