import type { LookupResult, NoticeOutcome } from '../../../src/observe/metrics/relay.ts'
import { createFindQuestion } from '../../../src/relay/find-question.ts'
import { createQuestionMemory } from '../../../src/relay/memory/memory.ts'
import { createQuestionNotice } from '../../../src/relay/notice.ts'
import { RELAY_PATTERNS } from '../../../src/relay/paths.ts'
import { createRelay, type RelayOptions } from '../../../src/relay/relay.ts'
import { type createStage, silentReporter } from '../../support/stage.ts'

/** stowage with nothing but the relay, before an endpoint. `noticed` and `lookups` collect what it reports. */
export async function serveRelay(
  stage: ReturnType<typeof createStage>,
  upstream: string,
  { prefixes = [], ...options }: Partial<RelayOptions> & { prefixes?: string[] } = {},
) {
  const noticed: { outcome: NoticeOutcome; count: number }[] = []
  const lookups: LookupResult[] = []
  const memory = createQuestionMemory({ vectors: 1_000, ttlMs: 600_000 })
  const notice = createQuestionNotice({ memory, prefixes, report: event => noticed.push(event) })
  const relay = createRelay({ upstream: new URL(upstream), keys: null, notice, reporter: silentReporter, ...options })
  const find = createFindQuestion({ memory, notice, report: ({ result }) => lookups.push(result) })
  const { url } = await stage.serve({ relay: { paths: RELAY_PATTERNS, handler: relay.handler } })
  /** The question of a vector, for a client of open mode without a key. */
  const questionOf = (vector: ArrayLike<number>, apiKey: string | null = null) =>
    find({ tenant: null, apiKey }, Array.from(vector))
  return { url, memory, noticed, lookups, questionOf }
}
