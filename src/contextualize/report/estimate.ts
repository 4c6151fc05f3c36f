import { NO_USAGE, type TokenUsage } from '../../contexts/context.ts'
import { SEGMENT_TOKENS } from '../../contexts/prompt/segments.ts'
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
  /** Tokens of the requests, one per context. Of a document, all prompts but the first come from the cache of the endpoint. */
  usage: TokenUsage
  /** Seconds, when a request takes as long as `SECONDS_OF_A_REQUEST`. */
  seconds: number
}

/** Tokens of the instructions and of the frame of a prompt. */
const INSTRUCTION_TOKENS = 250
/** Of 50 to 100 words. */
const OUTPUT_TOKENS = 110
/** An assumption; endpoints differ. */
const SECONDS_OF_A_REQUEST = 2

/** Estimates what a run would take, without asking the model or writing anything. */
export async function estimate(
  dependencies: TaskDependencies,
  countTokens: (text: string) => number,
): Promise<Estimate> {
  const { collection, writer, partition } = dependencies
  const survey = await takeSurvey(collection, writer.version, partition)
  const { points, withoutText } = survey
  const documents = survey.documents.filter(({ left }) => left.size > 0)
  let usage = NO_USAGE
  let asked = 0
  for (const document of documents) {
    let documentTokens: number | null = null
    for await (const { request, writer: chosen } of tasksOf(document, dependencies)) {
      if (chosen.endpoint === null) continue
      asked += 1
      const isFirst = documentTokens === null
      documentTokens ??= Math.min(countTokens(request.document.text), SEGMENT_TOKENS)
      const own = countTokens(request.chunk.text) + INSTRUCTION_TOKENS
      usage = addUsage(usage, {
        input: own,
        cached: isFirst ? 0 : documentTokens,
        cacheWritten: isFirst ? documentTokens : 0,
        output: OUTPUT_TOKENS,
      })
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
