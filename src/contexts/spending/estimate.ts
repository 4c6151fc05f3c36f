import { contentHash } from '../../text/fingerprint.ts'
import { type ContextRequest, NO_USAGE, type TokenUsage } from '../context.ts'
import type { PromptBuilder } from '../prompt/prompt.ts'
import { addUsage } from './prices.ts'

/** How an endpoint caches prompts. */
export interface PromptCaches {
  /** Tokens of the shortest prefix that is cached. */
  least: number
  /** Whether writing into the cache is charged on its own. */
  chargesWrites: boolean
}

/** The shortest prefix differs between the models of Anthropic; 4,096 tokens hold for all of them. */
export const PROMPT_CACHES = {
  openai: { least: 1_024, chargesWrites: false },
  anthropic: { least: 4_096, chargesWrites: true },
} as const satisfies Record<string, PromptCaches>

export interface EstimateOptions {
  countTokens: (text: string) => number
  prompt: PromptBuilder
  /** Null for an endpoint without caches. */
  caches: PromptCaches | null
  /** Tokens of one answer; default 110, which is about 80 words. */
  outputTokens?: number
}

/** 50 to 100 words were asked for. */
const OUTPUT_TOKENS = 110

/**
 * The usage of one call for each chunk, as `countTokens` counts. Chunks of a segment read it from the cache, but for the first. Second
 * calls after a text that does not pass are not in it, and a model can count its tokens in another way.
 */
export function estimateUsage(requests: Iterable<ContextRequest>, options: EstimateOptions): TokenUsage {
  const estimate = createEstimate(options)
  for (const request of requests) estimate.add(request)
  return estimate.usage
}

/** The same for requests that come one by one. */
export function createEstimate({ countTokens, prompt, caches, outputTokens = OUTPUT_TOKENS }: EstimateOptions): {
  add(request: ContextRequest): void
  readonly usage: TokenUsage
} {
  /** Tokens of each prefix that was seen, by its hash. */
  const prefixes = new Map<string, number>()
  let usage = NO_USAGE

  return {
    add: request => {
      const { prefix, suffix } = prompt.build(request)
      const key = contentHash(prefix)
      const seen = prefixes.get(key)
      const tokens = seen ?? countTokens(prefix)
      prefixes.set(key, tokens)
      const isCached = caches !== null && tokens >= caches.least
      const kind = !isCached ? 'input' : seen !== undefined ? 'cached' : caches.chargesWrites ? 'cacheWritten' : 'input'
      usage = addUsage(usage, { ...NO_USAGE, input: countTokens(suffix), output: outputTokens })
      usage = addUsage(usage, { ...NO_USAGE, [kind]: tokens })
    },
    get usage() {
      return usage
    },
  }
}
