import { join } from 'node:path'
import { createChatModel } from '../../adapters/judge/openai-chat.ts'
import type { Config } from '../../config.ts'
import { badRequest } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { createJudge } from '../../evaluation/judge/judge.ts'
import { rememberReplies } from '../../evaluation/judge/remembered-replies.ts'

/**
 * Opens the judge of the configuration, with its remembered replies below the cache folder.
 * @throws StowageError `bad_request` without `JUDGE_MODEL`
 */
export async function openJudge({ settings }: Config, embedder: Embedder | null, cacheFolder: string) {
  const { JUDGE_MODEL: model, JUDGE_BASE_URL: baseUrl, JUDGE_API_KEY: apiKey = '' } = settings
  if (model === undefined)
    throw badRequest('JUDGE_MODEL: not set; --judge asks this model of an OpenAI-compatible endpoint')
  if (baseUrl === undefined && apiKey === '')
    throw badRequest('JUDGE_API_KEY: not set. Set it, or set JUDGE_BASE_URL to an endpoint without keys.')
  /** Model and endpoint. */
  const name = baseUrl === undefined ? model : `${model} at ${redactUrls(baseUrl)}`
  const chat = createChatModel({ baseUrl, apiKey, model })
  const ask = await rememberReplies(chat.ask, join(cacheFolder, 'judge', 'replies.jsonl'), name)
  const embed = async (texts: string[], signal: AbortSignal) => {
    if (embedder === null) throw new Error('answer relevance needs an embedder')
    return embedder.embedPassages(texts, signal)
  }
  return { judge: createJudge({ ask, embed }), name, usage: chat.usage }
}
