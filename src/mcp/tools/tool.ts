import { z } from 'zod'
import { WRITER_KINDS } from '../../contexts/context.ts'
import type { JsonObject } from '../../core/types.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { McpCaller, Right } from '../caller.ts'
import type { McpServices } from '../services.ts'

export interface ToolCall {
  services: McpServices
  caller: McpCaller
  /** Aborts when the call is cancelled, or its client has gone. */
  signal: AbortSignal
  /** The arguments as they came. zod changes some values, such as keys named `__proto__`. */
  given: JsonObject
  /** Most tokens of the answer. */
  budget: number
  countTokens(text: string): number
  /** Sends a progress notification. Does nothing when the client asked for none. */
  report(progress: { done: number; total: number; message: string }): Promise<void>
  /** Called with the id of the trace that the call made. */
  onTraced(traced: { traceId: string; degraded: string[] }): void
}

/** What a model sees of a tool, and what the tool does. */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  /** For a model: what it does, when to use it, units and ranges. */
  description: string
  input: Schema
  /** Who sees the tool: callers with one of these rights. */
  rights: readonly Right[]
  hints: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean }
  /** Tokens of an answer when the arguments name none. */
  defaultBudget(call: Pick<ToolCall, 'services' | 'caller'>): number
  /** The answer, and shorter ones: the first that fits into the budget is sent. */
  run(args: z.infer<Schema>, call: ToolCall): Promise<string[]>
}

/** Keeps the type of the arguments while a tool is declared. */
export function defineTool<Schema extends z.ZodObject>(tool: Tool<Schema>): Tool {
  // The arguments are checked with `input` before `run` is called.
  return tool as unknown as Tool
}

/** The plan of the tenant, else that of the configuration. */
export function planOf({ services, caller }: Pick<ToolCall, 'services' | 'caller'>): Plan {
  return caller.tenant?.plan ?? services.plan
}

/** The argument of the tools that write contexts. */
export const writerKind = z
  .enum(WRITER_KINDS)
  .optional()
  .describe('`rules` (default) needs no model and costs nothing; the others ask the configured language model.')
