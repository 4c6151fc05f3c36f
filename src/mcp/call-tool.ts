import { type RequestFault, StowageError } from '../core/errors.ts'
import { redactUrls } from '../core/redact-urls.ts'
import type { JsonObject } from '../core/types.ts'
import { refuseDeepField } from '../http/body/json-body.ts'
import { parseFields } from '../http/body/parse-fields.ts'
import { internalError } from '../http/error-handler.ts'
import { MAX_FIELD_DEPTH } from '../http/parse-context-request.ts'
import { firstThatFits } from './answers/fit.ts'
import { planOf, type Tool, type ToolCall } from './tools/tool.ts'

interface ToolAnswer {
  /** At most as many tokens as the call asked for. */
  text: string
  isError: boolean
}

/** What is said when nothing else fits, as long as the budget allows: an agent learns nothing from an empty text. */
const NOTHING_FITS = ['budget_tokens is too small for any answer: raise it.', 'raise budget_tokens', 'too small']

/**
 * Calls a tool. Its answer, also the text of an error, has at most `budget_tokens` tokens, as the tokenizer of the plan counts them.
 * Rejects only when the call is cancelled: nobody reads that answer.
 */
export async function callTool(
  tool: Tool,
  given: JsonObject,
  call: Pick<ToolCall, 'services' | 'caller' | 'signal' | 'report' | 'onTraced'>,
): Promise<ToolAnswer> {
  const { count: countTokens } = call.services.tokenizer(planOf(call).tokenizerModel)
  const budget = budgetIn(given) ?? tool.defaultBudget(call)
  try {
    refuseDeepField(given, MAX_FIELD_DEPTH)
    const texts = await tool.run(parseFields(tool.input, given), { ...call, given, budget, countTokens })
    const text = firstThatFits([...texts, ...NOTHING_FITS], budget, countTokens)
    return { text, isError: text === '' || NOTHING_FITS.includes(text) }
  } catch (error) {
    if (call.signal.aborted) throw error
    const texts = [...failureTexts(knownFailure(error, call)), ...NOTHING_FITS]
    return { text: firstThatFits(texts, budget, countTokens), isError: true }
  }
}

/** The budget, when it is one: an error about another argument keeps to it, too. */
function budgetIn({ budget_tokens: budget }: JsonObject): number | null {
  return typeof budget === 'number' && Number.isInteger(budget) && budget >= 0 ? budget : null
}

function knownFailure(error: unknown, { services, caller }: Pick<ToolCall, 'services' | 'caller'>): StowageError {
  const { reporter } = services
  if (!(error instanceof StowageError)) {
    const requestId = services.newId()
    reporter.requestFailed({ error, requestId })
    return internalError(requestId)
  }
  if (caller.tenant !== null && error.code === 'forbidden') reporter.guardRefused({ status: error.status })
  return error
}

/** An error in words, whole and as its code alone. Wrong arguments come with their values. */
export function failureTexts({ code, message, details }: StowageError): string[] {
  const faults = code === 'bad_request' && Array.isArray(details) ? details : []
  const named = faults.map(fault => (typeof fault === 'string' ? fault : faultText(fault)))
  const text = named.length === 0 ? message : `Invalid arguments: ${named.join('; ')}`
  return [`${code}: ${redactUrls(text)}`, code]
}

function faultText({ field, message, value }: RequestFault): string {
  return `${field}${value === null ? '' : `=${value}`}: ${message}`
}
