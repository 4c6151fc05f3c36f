import { readFileSync } from 'node:fs'
import {
  ANTHROPIC_URL,
  type EndpointOptions,
  MOST_OUTPUT_TOKENS,
  MOST_WITH_THOUGHTS,
  OPENAI_URL,
} from '../../adapters/contexts/endpoint-options.ts'
import { paced } from '../../adapters/contexts/pacing.ts'
import type { Config } from '../../config.ts'
import type { ContextWriter, WriterKind } from '../../contexts/context.ts'
import { type AskModel, createModelWriter } from '../../contexts/model-writer.ts'
import { createPromptBuilder, type PromptBuilder } from '../../contexts/prompt/prompt.ts'
import { readTemplate } from '../../contexts/prompt/template.ts'
import { createRulesWriter } from '../../contexts/rules/rules-writer.ts'
import { priceOf, readPriceTable } from '../../contexts/spending/price-table.ts'
import type { ModelPrice } from '../../contexts/spending/prices.ts'
import { badRequest, type StowageError } from '../../core/errors.ts'
import type { Tokenizer } from '../../core/ports.ts'

/** What differs between the endpoints. */
const MODELS = {
  openai: {
    load: async () => (await import('../../adapters/contexts/openai-model.ts')).createOpenAiModel,
    defaultUrl: OPENAI_URL,
    mostOutput: MOST_WITH_THOUGHTS,
    shortestCached: 1_024,
  },
  anthropic: {
    load: async () => (await import('../../adapters/contexts/anthropic-model.ts')).createAnthropicModel,
    defaultUrl: ANTHROPIC_URL,
    mostOutput: MOST_OUTPUT_TOKENS,
    // From 1,024 on for some models. This is the longest that a model needs.
    shortestCached: 4_096,
  },
} as const

/** Tokens of the longest answer that a writer asks for, also of a model that counts its thoughts. */
export const mostOutputOf = (kind: WriterKind): number => (kind === 'rules' ? 0 : MODELS[kind].mostOutput)

/** Tokens of the shortest beginning of a prompt that the endpoint of a writer caches. */
export const shortestCachedOf = (kind: WriterKind): number => (kind === 'rules' ? 0 : MODELS[kind].shortestCached)

/** The client of an endpoint is loaded with the first call: most runs make none. */
function loadedAtFirstCall(
  load: () => Promise<(options: EndpointOptions) => AskModel>,
  options: EndpointOptions,
): AskModel {
  let loading: Promise<AskModel> | null = null
  return async (prompt, signal) => {
    loading ??= load().then(create => create(options))
    return (await loading)(prompt, signal)
  }
}

/**
 * Opens the writer of contexts that a command asks for. The rules need no setting; nothing is sent yet.
 * @throws StowageError `bad_request` that names the variable which is missing or wrong
 */
export function openContextWriter(config: Config, kind: WriterKind, countTokens: Tokenizer['count']): ContextWriter {
  const rules = createRulesWriter({ countTokens })
  if (kind === 'rules') return rules
  const { settings } = config
  const { CONTEXT_MODEL: model, CONTEXT_API_KEY: apiKey = '', CONTEXT_BASE_URL: baseUrl } = settings
  const { load, defaultUrl } = MODELS[kind]
  if (model === undefined) throw fault(`CONTEXT_MODEL: not set; the writer ${kind} asks this model`)
  if (baseUrl === undefined && apiKey === '')
    throw fault('CONTEXT_API_KEY: not set. Set it, or set CONTEXT_BASE_URL to an endpoint without keys.')
  const prompt = openPrompt(config, countTokens)
  const ask = paced(loadedAtFirstCall(load, { baseUrl, apiKey, model, timeoutMs: settings.CONTEXT_TIMEOUT_MS }), {
    concurrency: settings.CONTEXT_CONCURRENCY,
    requestsPerMinute: settings.CONTEXT_REQUESTS_PER_MINUTE ?? null,
    tokensPerMinute: settings.CONTEXT_TOKENS_PER_MINUTE ?? null,
    countTokens,
  })
  const endpoint = baseUrl ?? defaultUrl
  return createModelWriter({
    ask,
    rules,
    model,
    endpoint,
    concurrency: settings.CONTEXT_CONCURRENCY,
    countTokens,
    prompt,
  })
}

/** The prompt of `CONTEXT_PROMPT_FILE`, or the default one. @throws StowageError `bad_request` with each fault of the file */
export function openPrompt(
  { settings: { CONTEXT_PROMPT_FILE: path } }: Config,
  countTokens: Tokenizer['count'],
): PromptBuilder {
  if (path === undefined) return createPromptBuilder({ countTokens })
  const { template, faults } = readTemplate(readSettingsFile('CONTEXT_PROMPT_FILE', path))
  if (template === null) throw fault(...faults.map(message => `CONTEXT_PROMPT_FILE=${path}: ${message}`))
  return createPromptBuilder({ template, countTokens })
}

/** What the writer's model costs, by `CONTEXT_PRICES_FILE` and the known prices; undefined when nobody says it. */
export function openPrice(
  { settings: { CONTEXT_PRICES_FILE: path } }: Config,
  writer: ContextWriter,
): ModelPrice | undefined {
  if (path === undefined) return priceOf(writer.model, writer.endpoint, new Map())
  const place = `CONTEXT_PRICES_FILE=${path}`
  const { prices, faults } = readPriceTable(readSettingsFile('CONTEXT_PRICES_FILE', path), place)
  if (faults.length > 0) throw fault(...faults)
  return priceOf(writer.model, writer.endpoint, prices)
}

function readSettingsFile(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fault(`${variable}=${path}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
  }
}

function fault(...messages: string[]): StowageError {
  return badRequest(messages.join('\n'))
}
