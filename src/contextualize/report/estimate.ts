import { NO_USAGE, type TokenUsage } from '../../contexts/context.ts'
import type { PromptBuilder } from '../../contexts/prompt/prompt.ts'
import { addUsage } from '../../contexts/spending/prices.ts'
import { countLeft, takeSurvey } from '../documents/survey.ts'
import { type TaskDependencies, tasksOf } from '../documents/tasks.ts'

/** What a run would do. */
export interface Estimate {
  points: number
  withoutText: number
  /** Contexts to write. */
  left: number
  /** Documents that have a context to write. */
  documents: number
  /** Tokens of the requests, one per context. What prompts have in common is read anew once, where the endpoint caches it. */
  usage: TokenUsage
  /** Seconds, when a request takes as long as `SECONDS_OF_A_REQUEST`. */
  seconds: number
}

/** What a model would be asked. */
interface AskedPrompts {
  prompt: PromptBuilder
  /** Shorter beginnings of prompts, in tokens, are not cached by the endpoint. */
  shortestCached: number
  countTokens: (text: string) => number
}

/** Of 50 to 100 words. */
const OUTPUT_TOKENS = 110
/** An assumption; endpoints differ. */
const SECONDS_OF_A_REQUEST = 2

/** Estimates what a run would take, without asking the model or writing anything. */
export async function estimate(
  dependencies: TaskDependencies,
  { prompt, shortestCached, countTokens }: AskedPrompts,
): Promise<Estimate> {
  const { collection, writer, partition } = dependencies
  const survey = await takeSurvey(collection, writer.version, partition)
  const { points, withoutText } = survey
  const documents = survey.documents.filter(({ left }) => left.size > 0)
  let usage = NO_USAGE
  let asked = 0
  for (const document of documents) {
    const begun = new Map<string, number>()
    for await (const { request, writer: chosen, stored } of tasksOf(document, dependencies)) {
      if (chosen.endpoint === null || stored !== null) continue
      asked += 1
      const { prefix, suffix } = prompt.build(request)
      const known = begun.get(prefix)
      const tokens = known ?? countTokens(prefix)
      begun.set(prefix, tokens)
      const own = { ...NO_USAGE, input: countTokens(suffix), output: OUTPUT_TOKENS }
      const kind = tokens < shortestCached ? 'input' : known === undefined ? 'cacheWritten' : 'cached'
      usage = addUsage(addUsage(usage, own), { ...NO_USAGE, [kind]: tokens })
    }
  }
  return {
    points,
    withoutText,
    left: countLeft(survey),
    documents: documents.length,
    usage,
    seconds: Math.ceil((asked * SECONDS_OF_A_REQUEST) / Math.max(1, writer.concurrency)),
  }
}
