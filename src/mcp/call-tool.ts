import { StowageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/types.ts'
import { refuseDeepField } from '../http/body/json-body.ts'
import { parseFields } from '../http/body/parse-fields.ts'
import { MAX_FIELD_DEPTH } from '../http/parse-context-request.ts'
import { failureTexts, unexpectedFailure } from './answers/failure-text.ts'
import { firstThatFits } from './answers/fit.ts'
import type { Tool, ToolCall } from './tools/tool.ts'

interface ToolAnswer {
  /** At most as many tokens as the call asked for. */
  text: string
  isError: boolean
}

/**
 * Calls a tool. Its answer, also the text of an error, has at most `budget_tokens` tokens, as the tokenizer of the plan counts them.
 * Rejects only when the call is cancelled: nobody reads that answer.
 */
export async function callTool(
  tool: Tool,
  given: Record<string, unknown>,
  call: Pick<ToolCall, 'services' | 'caller' | 'signal' | 'report' | 'onTraced'>,
): Promise<ToolAnswer> {
  const { services, caller, signal } = call
  const { tokenizerModel } = caller.tenant?.plan ?? services.plan
  const tokenizer = services.tokenizer(tokenizerModel)
  const countTokens = (text: string) => tokenizer.count(text)
  const budget = budgetIn(given) ?? tool.defaultBudget(call)
  try {
    const args = parseArguments(tool, given as JsonObject)
    const texts = await tool.run(args, { ...call, given: given as JsonObject, budget, countTokens })
    return { text: firstThatFits(texts, budget, countTokens), isError: false }
  } catch (error) {
    if (signal.aborted) throw error
    return { text: firstThatFits(failureTexts(knownFailure(error, call)), budget, countTokens), isError: true }
  }
}

/** The budget, when it is one: an error about another argument keeps to it, too. */
function budgetIn({ budget_tokens: budget }: Record<string, unknown>): number | null {
  return typeof budget === 'number' && Number.isInteger(budget) && budget >= 0 ? budget : null
}

/** @throws StowageError `bad_request` with a `RequestFault` for each wrong argument */
function parseArguments(tool: Tool, given: JsonObject): Record<string, unknown> {
  refuseDeepField(given, MAX_FIELD_DEPTH)
  return parseFields(tool.input, given as Json)
}

function knownFailure(error: unknown, { services, caller }: Pick<ToolCall, 'services' | 'caller'>): StowageError {
  const { reporter } = services
  if (!(error instanceof StowageError)) {
    const requestId = services.newId()
    reporter.requestFailed({ error, requestId })
    return unexpectedFailure(requestId)
  }
  if (caller.tenant !== null && error.code === 'forbidden') reporter.guardRefused({ status: error.status })
  return error
}
