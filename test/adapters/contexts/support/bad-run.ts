import { createAnthropicModel } from '../../../../src/adapters/contexts/anthropic-model.ts'
import { createOpenAiModel } from '../../../../src/adapters/contexts/openai-model.ts'
import { paced } from '../../../../src/adapters/contexts/pacing.ts'
import type { ChunkContext, ContextDocument, ContextRequest } from '../../../../src/contexts/context.ts'
import { createModelWriter } from '../../../../src/contexts/model-writer.ts'
import { createPromptBuilder } from '../../../../src/contexts/prompt/prompt.ts'
import { createRulesWriter } from '../../../../src/contexts/rules/rules-writer.ts'
import { countTokens } from '../../../contexts/support/requests.ts'
import { type LlmServerOptions, type LlmStats, startLlmServer } from '../../../support/llm-server.ts'

const RIVERS = ['Danube', 'Rhine', 'Loire', 'Ebro', 'Thames', 'Volga', 'Oder', 'Tagus', 'Seine', 'Elbe']
const PER_DOCUMENT = 25

/** Chunks of documents with 25 chunks each. Every chunk is one line of its document. */
export function requestsOf(chunks: number): ContextRequest[] {
  return Array.from({ length: Math.ceil(chunks / PER_DOCUMENT) }, (_, number) => documentOf(number))
    .flatMap(requestsOfDocument)
    .slice(0, chunks)
}

function documentOf(number: number): ContextDocument {
  const river = RIVERS[number % RIVERS.length]
  const lines = Array.from(
    { length: PER_DOCUMENT },
    (_, at) => `Station ${100 + at} measures the depth of the water twice in each week of season ${number}.`,
  )
  const text = `Yearbook of the river ${river}\n\nThe harbour office publishes this yearbook for captains of cargo ships.\n\n${lines.join('\n\n')}\n`
  return { docId: `doc-${number}`, title: `Yearbook ${number}`, text, lang: 'en' }
}

function requestsOfDocument(document: ContextDocument): ContextRequest[] {
  return [...document.text.matchAll(/^Station.*$/gmu)].map(({ 0: text, index }) => ({
    document,
    chunk: { sectionPath: 'Stations', text, start: index },
  }))
}

/** A context that passes, other for each chunk. */
export function goodContext(chunk: string): string {
  return `Yearbook of the harbour office for captains of cargo ships on the river. ${chunk.replace('measures', 'is one of the stations that measure')}`
}

const BAD_RATES = {
  ...{ slow: 0.03, tooMany: 0.1, serverError: 0.05, cut: 0.03, refusal: 0.06 },
  ...{ wrongLanguage: 0.04, empty: 0.04, notJson: 0.03, errorInside: 0.03 },
}

/** Writes the contexts of all chunks, with more calls at a time than the writer sends. */
export async function runOverChunks(
  kind: 'openai' | 'anthropic',
  requests: readonly ContextRequest[],
  options: Partial<LlmServerOptions> = {},
): Promise<{ contexts: ChunkContext[]; stats: LlmStats }> {
  const server = await startLlmServer({
    ...{ answer: ({ chunk }) => goodContext(chunk), faults: BAD_RATES, seed: 7, slowMs: 20, retryAfter: '0.005' },
    ...options,
  })
  const create = kind === 'openai' ? createOpenAiModel : createAnthropicModel
  const baseUrl = kind === 'openai' ? `${server.url}/v1` : server.url
  const model = create({ baseUrl, apiKey: 'k', model: 'm', timeoutMs: 10_000 })
  const ask = paced(model, { concurrency: 10, requestsPerMinute: null, tokensPerMinute: null, countTokens })
  const rules = createRulesWriter({ countTokens })
  const prompt = createPromptBuilder({ countTokens })
  const writer = createModelWriter({ ask, rules, model: 'm', endpoint: baseUrl, concurrency: 10, countTokens, prompt })
  const { signal } = new AbortController()
  try {
    const contexts = await Promise.all(requests.map(request => writer.write(request, signal)))
    return { contexts, stats: server.stats() }
  } finally {
    await server.close()
  }
}
