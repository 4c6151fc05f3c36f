import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { contextResponseSchema } from '../../pipeline/context-request.ts'
import type { ContextCache, ContextKeyParts, TracedContext } from '../../pipeline/services.ts'
import { traceSchema } from '../../pipeline/trace/schema.ts'
import { sha256 } from '../../text/fingerprint.ts'
import type { AnswerCache } from '../answer-cache.ts'
import type { SharedValues } from './shared-values.ts'

interface SharedAnswersOptions {
  local: AnswerCache<TracedContext>
  values: SharedValues
  /** Time to live in milliseconds, as that of the local cache. */
  ttlMs: number
  /** What answers depend on beside the parts of their keys: the version of stowage, and settings. */
  build: unknown
}

export interface SharedAnswers extends ContextCache {
  /** As of the local cache. Resolves when the other processes cannot find the answers any more either, or cannot be told now. Never rejects. */
  bumpEpoch(collection: string | null): Promise<void>
}

/**
 * An epoch is a random text, so that one that was forgotten never comes back. Losing it costs cached answers, and nothing else.
 * Clients choose the names of collections: names share so many epochs.
 */
const EPOCHS = 4_096
const EPOCH_TTL_MS = 86_400_000
const answerSchema = z.object({ response: contextResponseSchema, trace: traceSchema })

/** The answers of this process first, then those of all. Every request asks for the epochs, so that no write of another process is missed. */
export function createSharedAnswers({ local, values, ttlMs, build }: SharedAnswersOptions): SharedAnswers {
  const all = values.key('epochs', 'all')
  /** The epochs that could not be ended for the others. */
  const owed = new Set<string>()
  /** Differs for each time that this process goes on alone; null while it does not. */
  let alone: string | null = null

  /** The epochs of collections, which are made where there are none; null when the store cannot be asked. */
  async function readEpochs(collections: readonly string[]): Promise<string[] | null> {
    if (owed.size > 0 && !(await endEpochs([...owed]))) return null
    const keys = [all, ...new Set(collections.map(epochKey))]
    const known = await values.getMany('epochs', keys, value => (typeof value === 'string' ? value : null))
    if (known === null) return null
    const epochs = keys.map((key, at) => ({ key, value: known[at] ?? randomUUID(), isNew: !known[at] }))
    const added = epochs.filter(({ isNew }) => isNew)
    if (added.length > 0 && !(await values.setMany('epochs', added, EPOCH_TTL_MS))) return null
    return epochs.map(({ value }) => value)
  }

  /** Calls are sent in order: who reads after this reads the new epochs. */
  async function endEpochs(keys: readonly string[]): Promise<boolean> {
    for (const key of keys) owed.delete(key)
    const done = await values.deleteMany('epochs', keys)
    if (!done) for (const key of keys) owed.add(key)
    return done
  }

  const epochKey = (collection: string) =>
    values.key('epochs', Number.parseInt(sha256(collection).slice(0, 8), 16) % EPOCHS)

  return {
    async key(parts: ContextKeyParts) {
      const own = local.key(parts)
      if (own === null) return null
      const epochs = await readEpochs(parts.collections)
      if (epochs === null) alone ??= randomUUID()
      else alone = null
      const here = sha256(JSON.stringify([own, epochs, alone]))
      return `${here} ${epochs === null ? '' : values.key('answers', { parts, epochs, build })}`
    },
    async get(key) {
      const [here = '', everywhere = ''] = key.split(' ')
      const known = local.get(here)
      if (known !== null || everywhere === '') return known
      const [shared = null] = (await values.getMany('answers', [everywhere], readAnswer)) ?? []
      if (shared !== null) local.put(here, shared)
      return shared
    },
    put(key, answer) {
      const [here = '', everywhere = ''] = key.split(' ')
      local.put(here, answer)
      // The answer is on its way before it is compressed.
      if (everywhere !== '') setImmediate(() => values.setMany('answers', [{ key: everywhere, value: answer }], ttlMs))
    },
    async bumpEpoch(collection) {
      local.bumpEpoch(collection)
      await endEpochs([collection === null ? all : epochKey(collection)])
    },
  }
}

/** What was stored, as it was: the schema leaves fields out that it does not know. */
function readAnswer(json: unknown): TracedContext | null {
  return answerSchema.safeParse(json).success ? (json as TracedContext) : null
}
