import type { Member } from '../../cluster/member.ts'
import type { Config } from '../../config.ts'
import type { AppDependencies } from '../../http/app.ts'
import type { Reporter } from '../../observe/events.ts'
import { createFindQuestion, createLookUp, type FindQuestion, type SharedQuestions } from '../../relay/find-question.ts'
import { createQuestionMemory, sharing } from '../../relay/memory/memory.ts'
import { createQuestionNotice } from '../../relay/notice.ts'
import { createOwnEmbedderRoute } from '../../relay/own-embedder/route.ts'
import { OWN_EMBEDDER_PATH, RELAY_PATTERNS } from '../../relay/paths.ts'
import { createRelay } from '../../relay/relay.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { embeddingPrefixes, type Models } from '../models.ts'
import type { ReloadedTenants } from '../tenants.ts'

/** The embedding relay of a process. */
export interface OpenedRelay {
  route: NonNullable<AppDependencies['relay']>
  findQuestion: FindQuestion
  /** Number of vectors whose question is remembered. */
  readonly size: number
  close(): void
}

interface RelayParts {
  models: Models
  tenants: ReloadedTenants | null
  reporter: Reporter
  /** Null for a process alone. */
  member: Member | null
  /** Null when nothing is shared with other processes. */
  shared: SharedQuestions | null
}

/** Opens the embedding relay; null without `EMBEDDINGS_RELAY_URL`. */
export function openRelay(
  { settings, plan }: Config,
  { models, tenants, reporter, member, shared }: RelayParts,
): OpenedRelay | null {
  const { EMBEDDINGS_RELAY_URL: url, EMBEDDINGS_RELAY_VECTORS: vectors, EMBEDDINGS_RELAY_TTL_MS: ttlMs } = settings
  if (url === undefined) return null
  const own = createQuestionMemory({ vectors, ttlMs })
  const memory = shared === null ? own : sharing(own, shared)
  const { query } = embeddingPrefixes(settings)
  const notice = createQuestionNotice({
    memory,
    prefixes: query === '' ? [] : [query],
    report: event => reporter.questionsNoticed(event),
  })
  const findQuestion = createFindQuestion({
    memory,
    notice,
    shared,
    report: event => reporter.questionLookedUp(event),
    ...(member && { lookElsewhere: member.lookElsewhere(createLookUp({ memory, notice })) }),
  })
  const opened = (route: OpenedRelay['route'], close = () => {}): OpenedRelay => ({
    route,
    findQuestion,
    get size() {
      return memory.size
    },
    close: () => {
      close()
      memory.close()
    },
  })
  if (url === 'local') {
    const handler = createOwnEmbedderRoute({
      embedder: () => models.embedder,
      memory,
      countTokens: createTokenizer(plan.tokenizerModel).countInSteps,
      report: event => reporter.questionsNoticed(event),
    })
    return opened({ paths: [OWN_EMBEDDER_PATH], handler })
  }
  const isOwn = (key: string) => tenants !== null && (tenants.find(key) !== null || tenants.isOperator(key))
  const relay = createRelay({
    upstream: new URL(url),
    keys: tenants && { isOwn, lent: settings.EMBEDDINGS_RELAY_API_KEY ?? null },
    notice,
    reporter,
  })
  return opened({ paths: RELAY_PATTERNS, handler: relay.handler }, relay.close)
}
