import { z } from 'zod'
import type { RerankEndpoint } from './rerank-endpoint.ts'

const ASK_MS = 2_000
/** Least time between two rounds while no endpoint has told. */
const PAUSE_MS = 30_000

/** `/info` of text-embeddings-inference; `languages` is what `stowage rerank-server` adds. */
const Info = z.object({
  model_id: z.string(),
  languages: z.array(z.string()).min(1).optional().catch(undefined),
})
type EndpointInfo = z.infer<typeof Info>

/** What an endpoint tells about its model; null when it tells nothing now. */
export async function askInfo(url: string, { apiKey }: RerankEndpoint): Promise<EndpointInfo | null> {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/(?:rerank\/?)?$/u, '')}/info`
  try {
    const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(ASK_MS) })
    return Info.safeParse(await response.json()).data ?? null
  } catch {
    return null
  }
}

/** The languages of the model that all endpoints serve. */
export interface ToldLanguages {
  /** Undefined while no endpoint has told any. */
  readonly languages: readonly string[] | undefined
  /** Asks the endpoints, when none has told about its model and the last round is some time ago. Never rejects. */
  ask(): Promise<void>
}

/** Only text-embeddings-inference has a path for it. No endpoint is asked again when one has told its model, with languages or without. */
export function createToldLanguages(
  urls: readonly string[],
  endpoint: RerankEndpoint,
  now: () => number = () => performance.now(),
): ToldLanguages {
  let told: EndpointInfo | null = null
  let nextAt = Number.NEGATIVE_INFINITY
  return {
    get languages() {
      return told?.languages
    },
    async ask() {
      if (endpoint.shape !== 'tei' || told !== null || now() < nextAt) return
      nextAt = now() + PAUSE_MS
      const infos = await Promise.all(urls.map(url => askInfo(url, endpoint)))
      told = infos.find(info => info !== null) ?? null
    },
  }
}
