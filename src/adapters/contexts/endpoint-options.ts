export const OPENAI_URL = 'https://api.openai.com/v1'
export const ANTHROPIC_URL = 'https://api.anthropic.com'

/** A language model behind an endpoint. */
export interface EndpointOptions {
  /** Default: the URL of the maker, above. */
  baseUrl?: string | undefined
  /** '' for an endpoint without keys. */
  apiKey: string
  model: string
  /** Longest time of one attempt, in milliseconds. */
  timeoutMs: number
  /** Default 4. */
  retries?: number
}

/** Attempts after a failure that may pass. The SDKs wait between them, as long as `retry-after` says, else 0.5 s to 8 s with jitter. */
export const RETRIES = 4
export const TEMPERATURE = 0.3
/** 100 words are about 130 tokens. */
export const MOST_OUTPUT_TOKENS = 150
/** Models that know only `max_completion_tokens` count their thoughts with it. */
export const MOST_WITH_THOUGHTS = 1_024
