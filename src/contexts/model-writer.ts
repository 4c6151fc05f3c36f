import { StowageError } from '../core/errors.ts'
import { redactUrls } from '../core/redact-urls.ts'
import type { ContextFallback } from '../core/vocabulary.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { type ChunkContext, type ContextWriter, NO_USAGE, type TokenUsage } from './context.ts'
import { PASSING_FAILURES } from './context-stamp.ts'
import type { ContextPrompt, PromptBuilder } from './prompt/prompt.ts'
import { cleanContext, withoutBrokenSentence } from './quality/clean.ts'
import { type ContextFault, JUDGE_VERSION, judgeContext, PASSING_SCORE } from './quality/judge.ts'
import { addUsage } from './spending/prices.ts'

export interface ModelReply {
  text: string
  usage: TokenUsage
  /** Whether the text broke off at the limit of output tokens. */
  cutOff: boolean
}

/**
 * Asks a language model once, with the repetitions that the endpoint asks for.
 * @throws FailedCallError when this call has no answer; another error when no further call will have one
 */
export type AskModel = (prompt: ContextPrompt, signal: AbortSignal) => Promise<ModelReply>

/** A call without an answer that can be used. The next call can have one. */
export class FailedCallError extends Error {
  readonly fallback: ContextFallback
  /** Of the call, as far as it is known. */
  readonly usage: TokenUsage

  /** @param message without any text of a document */
  constructor(fallback: ContextFallback, message: string, options: { usage?: TokenUsage; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'FailedCallError'
    this.fallback = fallback
    this.usage = options.usage ?? NO_USAGE
  }
}

interface ModelWriterOptions {
  ask: AskModel
  /** Writes the context when the model does not. */
  rules: ContextWriter
  model: string
  endpoint: string
  concurrency: number
  countTokens: (text: string) => number
  prompt: PromptBuilder
}

/** A text that does not pass is asked for once more. */
const MOST_CALLS = 2
/** An endpoint that fails so often in a row is away. A run that went on would store the contexts of the rules everywhere. */
const MOST_FAILURES_IN_A_ROW = 30

/**
 * Contexts by a language model: ask, clean, judge; once more with the faults named; then the context of the rules. Rejects with a
 * StowageError `upstream_unavailable` when 30 calls in a row have failed because of the endpoint; the next write tries anew.
 */
export function createModelWriter(options: ModelWriterOptions): ContextWriter {
  const { ask, rules, model, endpoint, concurrency, countTokens, prompt } = options
  let failuresInARow = 0
  const note = (reply: ModelReply | FailedCallError): void => {
    const isFailure = reply instanceof FailedCallError && PASSING_FAILURES.includes(reply.fallback)
    failuresInARow = isFailure ? failuresInARow + 1 : 0
    if (!isFailure || failuresInARow < MOST_FAILURES_IN_A_ROW) return
    failuresInARow = 0
    const message = `${endpoint} failed ${MOST_FAILURES_IN_A_ROW} times in a row, the last time by ${reply.fallback}; nothing is lost: run again when it is back`
    throw new StowageError('upstream_unavailable', redactUrls(message), { cause: reply })
  }

  return {
    model,
    endpoint,
    concurrency,
    // The rules write some of the contexts.
    version: fingerprint({ model, prompt: prompt.version, judge: JUDGE_VERSION, rules: rules.version }),
    write: async (request, signal): Promise<ChunkContext> => {
      let usage = NO_USAGE
      let faults: readonly ContextFault[] = []
      let fallback: ContextFallback = 'low_quality'
      let calls = 0
      while (calls < MOST_CALLS) {
        signal.throwIfAborted()
        calls++
        const reply = await answerOrFailure(ask(prompt.build(request, faults), signal))
        signal.throwIfAborted()
        usage = addUsage(usage, reply.usage)
        note(reply)
        if (reply instanceof FailedCallError) {
          fallback = reply.fallback
          // A second call can succeed at once. After other failures the endpoint has had its repetitions.
          if (fallback === 'unreadable') continue
          break
        }
        const text = cleanContext(reply.cutOff ? withoutBrokenSentence(reply.text) : reply.text)
        const judged = judgeContext(text, request, { countTokens })
        if (judged.score >= PASSING_SCORE)
          return { text, quality: judged.score, model, tokens: countTokens(text), usage, calls, fallback: null }
        faults = judged.faults
        fallback = 'low_quality'
      }
      return { ...(await rules.write(request, signal)), usage, calls, fallback }
    },
  }
}

async function answerOrFailure(asked: Promise<ModelReply>): Promise<ModelReply | FailedCallError> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof FailedCallError) return error
    throw error
  }
}
