import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import { pointKey } from '../../core/keys.ts'
import type { Reporter } from '../../observe/events.ts'
import type { Caller } from '../../pipeline/caller.ts'
import type { ContextResponse } from '../../pipeline/context-request.ts'
import type { PackContext } from '../../pipeline/services.ts'
import { printJson } from '../../qdrant/json.ts'
import { parseJsonBody } from '../body/json-body.ts'
import { parseFields } from '../body/parse-fields.ts'
import { readWholeBody } from '../body/read-body.ts'
import { sendJson } from '../body/send-json.ts'
import { callerOf, countRefusal } from '../caller.ts'
import { tracedAs } from '../observe-requests.ts'
import { type PointName, passagesOf, type ReadPassages } from './passages.ts'
import { type Comparison, compareRequestSchema, passagesRequestSchema, type Rival } from './schemas.ts'

export interface CompareOptions {
  /** The pipeline of `/v1/context`. */
  packContext: PackContext
  /** The same pipeline with a plan of plain top-k. Its runs are neither kept nor counted. */
  packTopK(rival: Rival): PackContext
  readPassages: ReadPassages
  reporter: Pick<Reporter, 'guardRefused'>
}

const MOST_BYTES = 1024 * 1024
/** Bodies of the page are flat, but for the list of points. */
const MAX_DEPTH = 4

/**
 * `POST /v1/ui/compare`: the same question by the caller's own plan and by plain top-k, one after the other, so that neither makes the other
 * late. The first run is a request like every other; the second one is for comparison only.
 */
export function compareRoute({ packContext, packTopK, readPassages, reporter }: CompareOptions): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(request, response)
    const { against = 'baseline', ...question } = await readFields(request, response, compareRequestSchema)
    const asked = { ...question, trace: true }
    const stowage = withTrace(await packContext(asked, caller).catch(error => countRefusal(error, caller, reporter)))
    tracedAs(response, { traceId: stowage.trace_id, degraded: stowage.degraded.map(({ code }) => code) })
    const top_k = withTrace(await packTopK(against)(asked, caller))
    const passages = await candidatePassages([stowage, top_k], caller, readPassages)
    sendJson(request, response, 200, printJson({ stowage, top_k, ...passages } satisfies Comparison))
  }
}

/** `POST /v1/ui/passages`: texts of points, for a trace that is shown again. */
export function passagesRoute({
  readPassages,
  reporter,
}: Pick<CompareOptions, 'readPassages' | 'reporter'>): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(request, response)
    const { points } = await readFields(request, response, passagesRequestSchema)
    const passages = await passagesOf(points, caller, readPassages).catch(error =>
      countRefusal(error, caller, reporter),
    )
    sendJson(request, response, 200, printJson({ passages, passages_missing: null }))
  }
}

async function readFields<Schema extends z.ZodType>(
  request: Request,
  response: Response,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body = await readWholeBody(request, response, MOST_BYTES)
  return parseFields(schema, parseJsonBody(body, MAX_DEPTH))
}

type Traced = Comparison['stowage']

function withTrace(answer: ContextResponse): Traced {
  const { trace } = answer
  if (trace === undefined) throw new Error('the pipeline left out the trace that was asked for')
  return { ...answer, trace }
}

/** The contexts are worth showing without the texts of what was dropped. */
async function candidatePassages(
  answers: readonly Traced[],
  caller: Caller,
  read: ReadPassages,
): Promise<Pick<Comparison, 'passages' | 'passages_missing'>> {
  const candidates = answers.flatMap(({ trace }) => trace.candidates)
  const points = new Map(
    candidates.map(({ collection, id }): [string, PointName] => [pointKey({ collection, id }), { collection, id }]),
  )
  try {
    return { passages: await passagesOf([...points.values()], caller, read), passages_missing: null }
  } catch (error) {
    if (!(error instanceof StowageError) || caller.signal.aborted) throw error
    return { passages: [], passages_missing: `${error.code}: ${error.message}` }
  }
}
