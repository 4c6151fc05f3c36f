import { z } from 'zod'
import { contentHash } from '../../text/fingerprint.ts'
import type { SharedScores } from '../models/cached-reranker.ts'
import type { SharedValues } from './shared-values.ts'

/** How long the scores of a question are kept after it was asked, in milliseconds. */
const TTL_MS = 3_600_000
/** Scores of one question that are kept, the newest ones. */
const MOST_SCORES = 500
const scoresSchema = z.record(z.string(), z.number().min(0).max(1))

/** The scores of the reranker, in one value for each question. Of two processes that add to one at the same time, one is in vain. @param build what a score depends on beside the model and the texts */
export function createSharedScores(values: SharedValues, build: unknown): SharedScores {
  const keyOf = ({ model, query, tenant }: Parameters<SharedScores['find']>[0]) =>
    values.key('pairs', [build, model, tenant, query])
  const read = async (key: string) => {
    const found = await values.getMany('pairs', [key], json => scoresSchema.safeParse(json).data ?? null)
    return new Map(Object.entries(found?.[0] ?? {}))
  }
  return {
    async find(question, passages) {
      const known = await read(keyOf(question))
      return passages.map(passage => known.get(contentHash(passage)) ?? null)
    },
    async keep(question, scores) {
      const key = keyOf(question)
      const known = await read(key)
      for (const [passage, score] of scores) {
        const hash = contentHash(passage)
        known.delete(hash)
        known.set(hash, score)
      }
      const newest = Object.fromEntries([...known].slice(-MOST_SCORES))
      await values.setMany('pairs', [{ key, value: newest }], TTL_MS)
    },
  }
}
