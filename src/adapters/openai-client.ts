import OpenAI, { type ClientOptions } from 'openai'

/** A client of an OpenAI-compatible endpoint. @param options `apiKey`: '' for an endpoint without keys; `baseURL`: null for OpenAI */
export function createOpenAiClient({ apiKey, ...options }: ClientOptions & { apiKey: string }): OpenAI {
  return new OpenAI({
    apiKey: apiKey || 'none',
    // Null, because the client takes missing options from the environment.
    ...{ adminAPIKey: null, organization: null, project: null, webhookSecret: null },
    logLevel: 'off',
    ...options,
  })
}
