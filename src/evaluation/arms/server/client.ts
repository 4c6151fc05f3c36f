import type { z } from 'zod'
import { groupBy } from '../../../core/collections.ts'
import { StowageError } from '../../../core/errors.ts'
import { redactUrls } from '../../../core/redact-urls.ts'
import type { PointId } from '../../../core/types.ts'
import type { ErrorCode } from '../../../core/vocabulary.ts'
import { REPLAY_HEADER } from '../../../pipeline/context-request.ts'
import { createQdrantHttp } from '../../../qdrant/client.ts'
import { isObject, parseJson, printJson } from '../../../qdrant/json.ts'
import { collectionPath } from '../../../qdrant/paths.ts'
import { readChunk } from '../../../qdrant/payload/read-chunk.ts'
import { readListedPoints } from '../../../qdrant/points.ts'
import { BoundedCache } from '../../../text/bounded-cache.ts'
import type { GoldenQuery } from '../../golden-set/golden-set.ts'
import { answerSchema, type CandidateKey, type ServerAnswer } from './answer.ts'
import type { KeyOf } from './keys.ts'

/** Longest time for one answer. A server has a deadline of its own, which is 10 s unless it is changed. */
const TIMEOUT_MS = 60_000
/** About 100 MB of chunks of 200 tokens. */
const MOST_TEXTS = 100_000
const LONGEST_SHOWN = 300

interface StowageClientOptions {
  url: string
  keyOf: KeyOf
  /** Longest time for one answer in milliseconds. */
  timeoutMs?: number | undefined
}

export interface Question {
  query: string
  collection: string
  tenant: GoldenQuery['tenant']
  filter: GoldenQuery['filter']
  budgetTokens: number
}

/** A running stowage. Its messages of errors name its URL and never a key. */
export interface StowageClient {
  /** `POST /v1/context` with a trace. @throws StowageError for every answer but a context, and for none in time */
  ask(question: Question): Promise<{ answer: ServerAnswer; ms: number }>
  /** The texts of candidates, in their order, by the server's own Qdrant routes; null when one cannot be read. Never throws. */
  textsOf(candidates: readonly CandidateKey[], tenant: string | null): Promise<string[] | null>
  close(): Promise<void>
}

export function createStowageClient({ url, keyOf, timeoutMs = TIMEOUT_MS }: StowageClientOptions): StowageClient {
  const http = createQdrantHttp(url)
  const texts = new BoundedCache<string, string>({ entries: MOST_TEXTS })

  const post = async (path: string, body: unknown, key: string | null): Promise<unknown> => {
    const failed = (reason: string, code: ErrorCode = 'upstream_error') => {
      const message = `${redactUrls(url)} ${reason}`
      return new StowageError(code, key === null ? message : message.replaceAll(key, '***'))
    }
    const headers = [
      'content-type',
      'application/json',
      REPLAY_HEADER,
      'true',
      ...(key === null ? [] : ['api-key', key]),
    ]
    const signal = AbortSignal.timeout(timeoutMs)
    const request = { method: 'POST', path, headers, body: printJson(body), signal } as const
    const { status, text } = await http.readRaw(request).catch((error: unknown) => {
      if (!(error instanceof StowageError)) throw error
      if (error.code === 'upstream_timeout') throw failed(`did not answer within ${timeoutMs / 1000} s`, error.code)
      if (error.code === 'upstream_unavailable') throw failed('cannot be reached', error.code)
      throw failed('closed the connection, or sent no valid HTTP')
    })
    if (status !== 200) throw failed(`answered ${status}: ${messageOf(text)}`)
    try {
      return parseJson(text)
    } catch {
      throw failed(`answered with what is not JSON: ${text.slice(0, LONGEST_SHOWN)}`)
    }
  }

  async function read(collection: string, ids: readonly PointId[], tenant: string | null) {
    const path = collectionPath(collection, 'points')
    const result = await post(path, { ids, with_payload: true, with_vector: false }, keyOf(tenant))
    for (const point of readListedPoints({ points: isObject(result) ? result.result : null }))
      texts.set(keyOfText(collection, point.id, tenant), readChunk(point, collection).text)
  }

  return {
    async ask({ query, collection, tenant, filter, budgetTokens }) {
      // Only fields that the first servers know: a server refuses unknown ones.
      const body = { query, collection, ...(filter && { filter }), budget_tokens: budgetTokens, trace: true }
      const from = performance.now()
      const answer = answerSchema.safeParse(await post('/v1/context', body, keyOf(tenant)))
      if (answer.success) return { answer: answer.data, ms: performance.now() - from }
      throw new StowageError('upstream_error', `${redactUrls(url)} is not a stowage: ${faultOf(answer.error)}`)
    },
    async textsOf(candidates, tenant) {
      const unknown = groupBy(
        candidates.filter(({ collection, id }) => texts.get(keyOfText(collection, id, tenant)) === undefined),
        ({ collection }) => collection,
      )
      try {
        for (const [collection, missing] of unknown)
          await read(
            collection,
            missing.map(({ id }) => id),
            tenant,
          )
      } catch {
        return null
      }
      const found = candidates.map(({ collection, id }) => texts.get(keyOfText(collection, id, tenant)))
      return found.every(text => text !== undefined && text !== '') ? (found as string[]) : null
    },
    close: () => http.close(),
  }
}

/** Two tenants may see different points under one id. */
function keyOfText(collection: string, id: PointId, tenant: string | null): string {
  return JSON.stringify([collection, String(id), tenant])
}

/** The message of an error of stowage, else the beginning of the answer. */
function messageOf(text: string): string {
  try {
    const error: unknown = JSON.parse(text)?.error
    if (isObject(error) && typeof error.message === 'string') return error.message.slice(0, LONGEST_SHOWN)
  } catch {
    // It is not JSON.
  }
  return text.slice(0, LONGEST_SHOWN)
}

function faultOf(error: z.ZodError): string {
  const { path, message } = error.issues[0] ?? { path: [], message: 'no answer' }
  return `its answer of /v1/context has no valid ${path.join('.') || 'body'} (${message})`
}
