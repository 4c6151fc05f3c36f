import { messageOf, StowageError } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import type { AskModel } from '../../evaluation/judge/judge.ts'
import { createOpenAiClient } from '../openai-client.ts'

interface ChatOptions {
  /** Base URL of an OpenAI-compatible endpoint; default is OpenAI. */
  baseUrl?: string | undefined
  apiKey: string
  model: string
  /** Longest time of one attempt, in milliseconds. */
  timeoutMs?: number
}

/** What the calls have used so far. */
export interface ChatUsage {
  calls: number
  /** As the endpoint reports them; 0 when it does not. */
  inputTokens: number
  outputTokens: number
}

/** Attempts after a failure that may pass. The client waits between them, as long as `retry-after` says. */
const RETRIES = 4
const TIMEOUT_MS = 120_000

/** A language model behind an OpenAI-compatible endpoint. */
export function createChatModel(options: ChatOptions): { ask: AskModel; usage: ChatUsage } {
  const { baseUrl, apiKey, model, timeoutMs = TIMEOUT_MS } = options
  const client = createOpenAiClient({ apiKey, baseURL: baseUrl ?? null, maxRetries: RETRIES, timeout: timeoutMs })
  const usage: ChatUsage = { calls: 0, inputTokens: 0, outputTokens: 0 }
  const ask: AskModel = async ({ system, user }, signal) => {
    usage.calls++
    try {
      const reply = await client.chat.completions.create(
        {
          model,
          temperature: 0,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
        },
        { signal },
      )
      usage.inputTokens += reply.usage?.prompt_tokens ?? 0
      usage.outputTokens += reply.usage?.completion_tokens ?? 0
      const [choice] = reply.choices ?? []
      if (typeof choice?.message?.content !== 'string') throw new Error('it replied without a text')
      return choice.message.content
    } catch (error) {
      signal.throwIfAborted()
      const problem = redactUrls(messageOf(error))
      throw new StowageError('upstream_error', `the judge ${model} failed: ${problem}`, { cause: error })
    }
  }
  return { ask, usage }
}
