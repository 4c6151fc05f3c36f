import type { ContextWriter, TokenUsage, WriterKind } from '../contexts/context.ts'
import type { Coverage } from '../contextualize/report/coverage.ts'
import type { Tokenizer } from '../core/ports.ts'
import type { Reporter } from '../observe/events.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { FindTrace, PackContext } from '../pipeline/services.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { McpCaller } from './caller.ts'
import type { Jobs } from './jobs/jobs.ts'

/** The contexts of a collection, as far as a caller may read its points. */
export interface CollectionContexts extends Coverage {
  /** Whether there are more points than were looked at. */
  isPartial: boolean
  /** What the models of all runs used; null for a tenant, because it concerns all tenants. */
  spent: { calls: number; usage: TokenUsage; dollars: number | null } | null
}

/** What the tools work with. */
export interface McpServices {
  packContext: PackContext
  findTrace: FindTrace
  tokenizer: (model: string) => Tokenizer
  /** The plan of the configuration. */
  plan: Plan
  /** @throws StowageError when the configuration lacks what the writer needs */
  openWriter(kind: WriterKind): Promise<ContextWriter>
  /** Whether texts of a tenant may go to an endpoint. */
  allowsEndpoint(tenant: Tenant, endpoint: string): boolean
  contextsOf(collection: string, caller: McpCaller, signal: AbortSignal): Promise<CollectionContexts>
  jobs: Jobs
  /** Most US dollars that `reindex_with_context` may be given. */
  mostDollars: number
  reporter: Pick<Reporter, 'requestFailed' | 'guardRefused'>
  newId(): string
}
