import { once } from 'node:events'
import type { RequestHandler } from 'express'
import { StowageError } from '../core/errors.ts'
import { unknownName } from '../core/schema-faults.ts'
import { printJson } from '../qdrant/json.ts'
import type { Experiments } from '../rollout/rollout.ts'
import type { TimedOutcome } from '../rollout/window.ts'
import { sha256 } from '../text/fingerprint.ts'
import { sendJson } from './body/send-json.ts'

type Named = { name: string }

/** `GET /v1/experiments`: the requests and the rollback of each experiment. */
export function showExperiments(experiments: Experiments): RequestHandler {
  return async (request, response) => {
    sendJson(request, response, 200, printJson({ experiments: await experiments.list() }))
  }
}

/** Lines that are printed in one turn of the event loop. */
const LINES_AT_A_TIME = 500

/** `GET /v1/experiments/{name}/outcomes`: the last outcomes, one JSON object per line. Units have the digest of their id. */
export function showOutcomes(experiments: Experiments): RequestHandler<Named> {
  return async (request, response) => {
    const outcomes = experiments.outcomesOf(request.params.name) ?? unknown(request.params.name, experiments)
    response.setHeader('content-type', 'application/x-ndjson')
    for (let from = 0; from < outcomes.length && !response.destroyed; from += LINES_AT_A_TIME) {
      const lines = outcomes.slice(from, from + LINES_AT_A_TIME).map(lineOf)
      if (!response.write(lines.join(''))) await Promise.race([once(response, 'drain'), once(response, 'close')])
      else await new Promise(resolve => setImmediate(resolve))
    }
    response.end()
  }
}

/** `POST /v1/experiments/{name}/reset`: ends a rollback and forgets the evidence. */
export function resetExperiment(experiments: Experiments): RequestHandler<Named> {
  return (request, response) => {
    const { name } = request.params
    const wasRolledBack = experiments.reset(name) ?? unknown(name, experiments)
    sendJson(request, response, 200, printJson({ experiment: name, was_rolled_back: wasRolledBack }))
  }
}

function lineOf({ unitId, recallProxy, startedAt, ...outcome }: TimedOutcome): string {
  const { assignment, endpoint, failed, seconds, tokens } = outcome
  const unit_id = sha256(unitId).slice(0, 16)
  const started_at = new Date(startedAt).toISOString()
  const line = { assignment, unit_id, endpoint, started_at, failed, seconds, recall_proxy: recallProxy, tokens }
  return `${JSON.stringify(line)}\n`
}

/** The details are the names of the known experiments. */
function unknown(name: string, experiments: Experiments): never {
  const known = experiments.names()
  if (known.length > 0) throw new StowageError('not_found', unknownName(name, 'experiment', known), { details: known })
  throw new StowageError('not_found', `No request of an experiment ${name.slice(0, 100)} was seen since the start`)
}
