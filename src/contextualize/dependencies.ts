import type { ContextWriter } from '../contexts/context.ts'
import type { Embedder } from '../core/ports.ts'
import type { Encoding } from './encoding/encode.ts'
import type { LiveCollection } from './live-collection.ts'
import type { Budget } from './state/budget.ts'
import type { RunState } from './state/state-folder.ts'
import type { TenantRules } from './tenants.ts'

/** What writing contexts to a live collection works with. */
export interface ContextualizeDependencies extends TenantRules {
  collection: LiveCollection
  writer: ContextWriter
  /** Writes the contexts of the points whose text must stay on this machine. */
  rules: ContextWriter
  embedder: Embedder | null
  /** Null writes payloads only. */
  encoding: Encoding | null
  state: RunState
  /** Null: no limit. */
  budget: Budget | null
}
