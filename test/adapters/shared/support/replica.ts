import { createAnswerCache } from '../../../../src/adapters/answer-cache.ts'
import { createSharedAnswers } from '../../../../src/adapters/shared/answers.ts'
import { createSharedScores } from '../../../../src/adapters/shared/pairs.ts'
import { createSharedQuestions } from '../../../../src/adapters/shared/questions.ts'
import { createSealedValues } from '../../../../src/adapters/shared/sealed-values.ts'
import { createSharedSessions } from '../../../../src/adapters/shared/sessions.ts'
import { createSharedValues } from '../../../../src/adapters/shared/shared-values.ts'
import { createSteadyStore } from '../../../../src/adapters/shared/steady-store.ts'
import type { SharedStore } from '../../../../src/core/shared-store.ts'
import type { Reporter } from '../../../../src/observe/events.ts'
import type { TracedContext } from '../../../../src/pipeline/services.ts'
import { SessionMemory } from '../../../../src/pipeline/session-memory.ts'
import { contextAnswer } from '../../../support/context-answer.ts'
import { sampleTrace } from '../../../support/sample-trace.ts'

const HOUR_MS = 3_600_000

/** What one process of stowage does with a shared store. */
export function openReplica(
  store: SharedStore,
  {
    secret = null,
    deployment = 'http://qdrant',
    build = 1,
  }: { secret?: Buffer | null; deployment?: string; build?: unknown } = {},
) {
  const used: Parameters<Reporter['sharedUsed']>[0][] = []
  const steady = createSteadyStore({ store, timeoutMs: 10_000, onChange: () => {}, onAnswered: () => {} })
  const values = createSharedValues({
    store: steady,
    sealed: createSealedValues(secret),
    deployment,
    report: event => used.push(event),
  })
  const local = createAnswerCache<TracedContext>({
    ttlMs: HOUR_MS,
    maxEntries: 100,
    maxBytes: 1_000_000,
    now: () => performance.now(),
  })
  return {
    values,
    /** What was reported so far. */
    used,
    answers: createSharedAnswers({ local, values, ttlMs: HOUR_MS, build }),
    sessions: createSharedSessions(new SessionMemory(), values),
    scores: createSharedScores(values, build),
    questions: createSharedQuestions(values, HOUR_MS),
    close: () => steady.close(),
  }
}

/** An answer that says a text. */
export function answerOf(context: string): TracedContext {
  return { response: contextAnswer({ context }), trace: sampleTrace() }
}

/** A store that fails while `isAway` is true, and counts the calls that reach it. */
export function breakable(store: SharedStore) {
  const state = { isAway: false, calls: 0 }
  const call = <Arguments extends unknown[], Value>(work: (...given: Arguments) => Promise<Value>) => {
    return async (...given: Arguments): Promise<Value> => {
      state.calls++
      if (state.isAway) throw new Error('away')
      return work(...given)
    }
  }
  const breaking: SharedStore = {
    getMany: call(store.getMany),
    setMany: call(store.setMany),
    deleteMany: call(store.deleteMany),
    takeToken: call(store.takeToken),
    close: store.close,
  }
  return { store: breaking, state }
}
