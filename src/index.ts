/** What a program can import from `stowage`. Everything else is internal and changes without notice. */
export { type Settings, settingsSchema } from './config/settings.ts'
export { type Config, ConfigError, type Environment, loadConfig } from './config.ts'
export { StowageError } from './core/errors.ts'
export type { RunningServer } from './http/server.ts'
export {
  type ContextChunk,
  type ContextRequest,
  type ContextResponse,
  contextRequestSchema,
  contextResponseSchema,
} from './pipeline/context-request.ts'
export type { Plan } from './pipeline/plan/plan.ts'
export { type Trace, traceSchema } from './pipeline/trace/schema.ts'
export { openStowage, type Stowage } from './wiring/stowage.ts'
export { VERSION } from './wiring/version.ts'
