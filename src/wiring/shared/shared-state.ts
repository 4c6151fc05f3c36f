import type { AnswerCache } from '../../adapters/answer-cache.ts'
import type { SharedScores } from '../../adapters/models/cached-reranker.ts'
import { createSharedAnswers, type SharedAnswers } from '../../adapters/shared/answers.ts'
import { createSharedScores } from '../../adapters/shared/pairs.ts'
import { createSharedQuestions } from '../../adapters/shared/questions.ts'
import { createSealedValues } from '../../adapters/shared/sealed-values.ts'
import { createSharedSessions } from '../../adapters/shared/sessions.ts'
import { createSharedValues } from '../../adapters/shared/shared-values.ts'
import { createSteadyStore, type SteadyStore } from '../../adapters/shared/steady-store.ts'
import type { Config } from '../../config.ts'
import type { TakeShared } from '../../http/tenants/limits.ts'
import type { Reporter } from '../../observe/events.ts'
import type { TracedContext } from '../../pipeline/services.ts'
import { SessionMemory, type Sessions } from '../../pipeline/session-memory.ts'
import type { SharedQuestions } from '../../relay/find-question.ts'
import { VERSION } from '../version.ts'

/** What this process shares with other processes of stowage. */
export interface SharedState {
  /** @param local asked first */
  answers(local: AnswerCache<TracedContext>): SharedAnswers
  sessions: Sessions
  scores: SharedScores
  questions: SharedQuestions
  takeToken: TakeShared
  /** Why the store cannot be read or written; null while it can. */
  fault(): string | null
  close(): Promise<void>
}

/** The start waits so long for the first attempt to connect, in milliseconds. */
const CONNECT_MS = 1_000

/**
 * Opens the store that processes share; null without `REDIS_URL`. A store that is away is no reason not to start.
 * @param upstream URL of Qdrant: processes with another one share nothing with this
 */
export async function openSharedState(
  { settings }: Config,
  { upstream, reporter }: { upstream: string; reporter: Reporter },
): Promise<SharedState | null> {
  if (settings.REDIS_URL === undefined) return null
  const store = await openStore(settings, reporter)
  const values = createSharedValues({
    store,
    sealed: createSealedValues(settings.REDIS_ENCRYPTION_KEY ?? null),
    deployment: upstream,
    report: event => reporter.sharedUsed(event),
  })
  return {
    answers: local =>
      createSharedAnswers({
        local,
        values,
        ttlMs: settings.CACHE_TTL_MS,
        build: [VERSION, settings.MAPPINGS ?? null],
      }),
    sessions: createSharedSessions(new SessionMemory(), values),
    scores: createSharedScores(values, VERSION),
    questions: createSharedQuestions(values, settings.EMBEDDINGS_RELAY_TTL_MS),
    takeToken: (tenant, rate) => values.takeToken(tenant, rate),
    fault: () => faultOf(store),
    close: () => store.close(),
  }
}

/** Asks a store once, for `doctor`. @returns why it cannot be used; null: it can */
export async function checkSharedStore(settings: Config['settings']): Promise<string | null> {
  const store = await openStore(settings, { sharedChanged() {}, sharedAnswered() {} })
  const fault = faultOf(store)
  await store.close()
  return fault
}

async function openStore(
  { REDIS_URL: url = '', REDIS_PREFIX: prefix, REDIS_TIMEOUT_MS: timeoutMs }: Config['settings'],
  reporter: Pick<Reporter, 'sharedChanged' | 'sharedAnswered'>,
): Promise<SteadyStore> {
  // The library is loaded only where somebody uses it.
  const { createRedisStore } = await import('../../adapters/shared/redis.ts')
  const redis = createRedisStore({ url, prefix })
  await redis.attempted(CONNECT_MS)
  const store = createSteadyStore({
    store: redis,
    timeoutMs,
    onChange: change => reporter.sharedChanged(change),
    onAnswered: call => reporter.sharedAnswered(call),
  })
  await store.check()
  return store
}

function faultOf({ faults: { read, write } }: SteadyStore): string | null {
  if (read !== null) return `cannot be read: ${read.message}`
  return write && `cannot be written: ${write.message}`
}
