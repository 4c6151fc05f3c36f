import http from 'node:http'
import { createManagedCollections } from '../../../src/adapters/qdrant/managed.ts'
import { createPassthrough } from '../../../src/http/passthrough/passthrough.ts'
import { createIngestionGuard, type GuardDependencies } from '../../../src/ingestion-guard/guard.ts'
import type { GuardedUpsert } from '../../../src/observe/events.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import type { createStage } from '../../support/stage.ts'

/** A request as it reached the upstream. */
export interface Received {
  line: string
  rawHeaders: string[]
  body: Buffer
}

/** What a scripted Qdrant says of its collection `c`. */
export interface Script {
  /** Status of the collection info; 200 is a managed collection. */
  info?: number
  version?: string | null
  metadata?: unknown
  /** Called with each part of a body. */
  onPart?: (part: Buffer) => void
}

const INFO = {
  config: {
    params: { vectors: { dense: { size: 2, distance: 'Cosine' } }, sparse_vectors: { sparse: { modifier: 'idf' } } },
  },
  points_count: 3,
  payload_schema: {},
}

/**
 * stowage with an ingestion guard in front of a scripted Qdrant, which keeps the writes that it received.
 * @param script changes of it count from the next request on
 */
export async function openGuarded(
  stage: ReturnType<typeof createStage>,
  script: Script = {},
  options: Partial<GuardDependencies> & { named?: (collection: string) => boolean } = {},
) {
  const received: Received[] = []
  const reads: string[] = []
  const upstream = await stage.listen(
    http.createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) {
        parts.push(part)
        script.onPart?.(part)
      }
      const line = `${request.method} ${request.url}`
      const answer = (status: number, result: unknown) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ result, status: 'ok', time: 0 }))
      if (request.method === 'GET' || request.url?.endsWith('/scroll')) reads.push(line)
      if (request.method === 'GET') {
        const { metadata = { stowage: { managed: true } } } = script
        answer(script.info ?? 200, { ...INFO, config: { ...INFO.config, metadata } })
      } else if (request.url?.endsWith('/scroll')) {
        const { version = 'A' } = script
        answer(200, { points: version === null ? [] : [{ id: 1, payload: { embedder_version: version } }] })
      } else {
        received.push({ line, rawHeaders: request.rawHeaders, body: Buffer.concat(parts) })
        answer(200, { operation_id: 0, status: 'acknowledged' })
      }
    }),
  )
  const events: GuardedUpsert[] = []
  const qdrant = createQdrantHttp(upstream)
  const guard = createIngestionGuard({
    collections: createManagedCollections(qdrant, options.named ?? (() => false)),
    mode: 'enforce',
    allowMixed: false,
    report: event => void events.push(event),
    ...options,
  })
  const { passthrough } = createPassthrough({ upstream: new URL(upstream) })
  const { url } = await stage.serve({ guardUpserts: guard, passthrough })
  return { url, upstream, received, reads, events }
}

/** A point of the scripted collection. */
export const pointOf = (id: number | string, payload: Record<string, unknown> = {}) => ({
  id,
  vector: { dense: [0.5, 1] },
  payload: { doc_id: 'd', text: 'Ring the bell twice.', embedder_version: 'A', ...payload },
})
