import type { z } from 'zod'
import { messageOf } from '../../core/errors.ts'
import { mean } from '../../statistics/sample.ts'
import { cosine } from '../../text/similarity.ts'
import type { RunFigures } from '../metrics/measure-run.ts'
import type { MeasureName } from '../metrics/measures.ts'
import {
  answerPrompt,
  askedAgain,
  claimsPrompt,
  claimsSchema,
  type Prompt,
  questionsPrompt,
  questionsSchema,
} from './prompts.ts'

/**
 * Asks a language model and resolves with its reply. It rejects when the model cannot be asked.
 * @param isUsable whether a reply can be used; one that cannot is not remembered. Default: it is not empty.
 */
export type AskModel = (prompt: Prompt, signal: AbortSignal, isUsable?: (reply: string) => boolean) => Promise<string>

/** What a judge says of one context. Null: the answer claims nothing, or the judge failed. */
interface Judgement {
  /** Claims of the answer that the context supports ÷ all its claims, in [0,1]. */
  faithfulness: number | null
  /** How well the answer fits the question, in [0,1]; 0 for an answer that evades. */
  answerRelevance: number | null
  /** Why a figure could not be had; null without a fault. */
  fault: string | null
}

/** Judges the answer that a language model gives from a context. Never rejects but for an abort. */
export type Judge = (question: string, context: string, signal: AbortSignal) => Promise<Judgement>

interface JudgeDependencies {
  /** Writes the answers, and judges them. */
  ask: AskModel
  /** Unit vectors of texts. */
  embed: (texts: string[], signal: AbortSignal) => Promise<Float32Array[]>
}

/**
 * Creates a judge by the definitions of RAGAS (Es et al., "RAGAS: Automated evaluation of retrieval augmented generation", EACL 2024). A
 * model answers the question from the context. Faithfulness is the share of the answer's claims that the context supports. Answer
 * relevance is the mean cosine of the question with questions that the model writes for the answer. A context costs three calls.
 */
export function createJudge({ ask, embed }: JudgeDependencies): Judge {
  const faithfulnessOf = async (question: string, answer: string, context: string, signal: AbortSignal) => {
    const { claims } = await askForJson(ask, claimsPrompt(question, answer, context), claimsSchema, signal)
    return claims.length === 0 ? null : claims.filter(({ supported }) => supported).length / claims.length
  }
  const relevanceOf = async (question: string, answer: string, signal: AbortSignal) => {
    const { questions, noncommittal } = await askForJson(ask, questionsPrompt(answer), questionsSchema, signal)
    if (noncommittal) return 0
    const [asked, ...written] = await embed([question, ...questions], signal)
    return asked === undefined ? null : mean(written.map(vector => Math.min(1, Math.max(0, cosine(asked, vector)))))
  }
  return async (question, context, signal) => {
    try {
      const answer = await ask(answerPrompt(question, context), signal)
      if (answer.trim() === '') throw new Error('the model gave an empty answer')
      const [faithfulness, answerRelevance] = await Promise.allSettled([
        faithfulnessOf(question, answer, context, signal),
        relevanceOf(question, answer, signal),
      ])
      signal.throwIfAborted()
      return {
        faithfulness: faithfulness.status === 'fulfilled' ? faithfulness.value : null,
        answerRelevance: answerRelevance.status === 'fulfilled' ? answerRelevance.value : null,
        fault: faultOf(faithfulness) ?? faultOf(answerRelevance),
      }
    } catch (error) {
      signal.throwIfAborted()
      return { faithfulness: null, answerRelevance: null, fault: messageOf(error) }
    }
  }
}

/** The measures that only a judge gives. */
export const JUDGED: ReadonlySet<MeasureName> = new Set(['faithfulness', 'answer_relevance'])

/** Who judges the answers of a replay, at one budget: a judgement costs three calls of a language model. */
export interface ReplayJudge {
  judge: Judge
  /** Model and endpoint. */
  name: string
  budgetTokens: number
  /** Called for each run that lacks a figure, with the reason. */
  onFault(fault: string): void
}

/** Adds what the judge says of a run to its figures. Never rejects. */
export async function addJudgement(
  question: string,
  context: string,
  figures: RunFigures,
  { judge, onFault }: ReplayJudge,
): Promise<void> {
  // Ctrl-C ends the process, and what was replied by then is remembered.
  const { signal } = new AbortController()
  const { faithfulness, answerRelevance, fault } = await judge(question, context, signal)
  figures.measures.faithfulness = faithfulness
  figures.measures.answer_relevance = answerRelevance
  if (fault !== null) onFault(fault)
}

/** A reply that is no such JSON is asked for once more, with the fault. */
async function askForJson<Schema extends z.ZodType>(
  ask: AskModel,
  prompt: Prompt,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const isUsable = (reply: string) => 'value' in readJson(reply, schema)
  const first = readJson(await ask(prompt, signal, isUsable), schema)
  if ('value' in first) return first.value
  const second = readJson(await ask(askedAgain(prompt, first.fault), signal, isUsable), schema)
  if ('value' in second) return second.value
  throw new Error(`the judge replied twice with something else: ${second.fault}`)
}

/** Models like to write before and after the JSON that they were asked for. */
function readJson<Schema extends z.ZodType>(
  reply: string,
  schema: Schema,
): { value: z.infer<Schema> } | { fault: string } {
  const json = reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1)
  if (json === '') return { fault: 'it holds no JSON object' }
  try {
    const read = schema.safeParse(JSON.parse(json))
    if (read.success) return { value: read.data }
    const [issue] = read.error.issues
    return { fault: `${issue?.path.join('.')}: ${issue?.message}` }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

function faultOf(settled: PromiseSettledResult<unknown>): string | null {
  return settled.status === 'rejected' ? messageOf(settled.reason) : null
}
