import type { ServerResponse } from 'node:http'
import type { PassthroughReason } from '../core/vocabulary.ts'
import type { Attempt } from '../core/work/breaker.ts'
import { readBody } from '../http/body/read-body.ts'
import { callerOf } from '../http/caller.ts'
import { requestIdOf } from '../http/observe-requests.ts'
import { handOver } from '../http/passthrough/hand-over.ts'
import type { HeldAnswer, HoldAnswer } from '../http/passthrough/passthrough.ts'
import type { Step } from '../http/step.ts'
import { sessionIdOf, showVariant } from '../http/variant.ts'
import type { DecidePlan } from '../pipeline/plan/decision.ts'
import type { ObserveOutcome, OutcomeSubject } from '../pipeline/plan/outcome.ts'
import { readSearchTarget } from '../qdrant/paths.ts'
import { Refusals } from '../qdrant/refusals.ts'
import { createAdmission, WorkMeter } from './admission.ts'
import { type Breakers, createBreakers, type PauseChange } from './breaker.ts'
import { systemClock } from './clock.ts'
import { tellSearchOutcome } from './experiment-outcome.ts'
import { asNotImproved, firstGoodAnswer, type Outcome } from './hedge.ts'
import { type AskedSearches, type ImprovingDependencies, startImproving } from './improving.ts'
import { NotImproved } from './not-improved.ts'
import { understand } from './query/understand.ts'
import { createReadLimits, type DeclaredLimit, type ReadLimit } from './read-limit.ts'
import { readJsonText, refuseUnknownParameters } from './request.ts'
import { type ImprovedAnswer, sendImproved } from './response.ts'

/** Outcome of one search, for metrics and the log. */
export interface ImproveEvent {
  /** Null when the answer was improved. */
  reason: PassthroughReason | null
  /** Not for clients. */
  detail: string
  tenant: string | null
  /** Whether the client's own request was sent while improving still ran. */
  hedged: boolean
  applied: string[]
  degraded: string[]
  seconds: number
}

/** What is made for all attempts together, or for each of them. */
type OfAttempts = 'work' | 'refusals' | 'readBreakers' | 'readLimit'

export interface ImproveDependencies extends Omit<ImprovingDependencies, 'clock' | OfAttempts> {
  /** Sends the client's own request and keeps the answer back. */
  holdOriginal: HoldAnswer
  /** Whether Qdrant says that it limits the reads of a collection. Absent: a limit shows only when it is reached. */
  declaredLimit?: DeclaredLimit
  /** Decides the plan of each request, and whether it is improved. */
  decide: DecidePlan
  /** Most bytes of a body that is buffered; a longer one passes through. Default: 8 MiB, more than any search. */
  maxBytes?: number
  clock?: ImprovingDependencies['clock']
  report(event: ImproveEvent): void
  /** Takes the outcomes of requests that are part of an experiment. */
  observeOutcome?: ObserveOutcome
  /** Called when improving the searches of a tenant in a collection pauses, and when it goes on. */
  onPause(change: PauseChange): void
}

/** More than any search. */
const MOST_BYTES = 8 * 1024 * 1024

/**
 * Improves `POST /collections/{name}/points/{query,search}[/batch]`. When anything fails, is refused or takes too long, the
 * client gets the answer to its original request instead.
 */
export function createImproveHandler(dependencies: ImproveDependencies): Step {
  const { decide, holdOriginal, maxBytes = MOST_BYTES, report, observeOutcome, clock = systemClock } = dependencies
  const breakers = createBreakers(clock, dependencies.onPause)
  const readLimitOf = createReadLimits(breakers, dependencies.declaredLimit)
  const attempt = createAttempts({ ...dependencies, clock }, breakers)
  return async function improveOrPass(request, response, next) {
    const caller = callerOf(request, response)
    const target = readSearchTarget(request.originalUrl)
    const sessionId = sessionIdOf(request)
    const decision = decide({ tenant: caller.tenant, sessionId })
    if (target === null || !decision.improves) {
      handOver(response, { reason: 'off' })
      return next()
    }
    if (decision.assignment !== null) showVariant(response, decision.assignment)
    const started = clock.now()
    const secondsSoFar = () => (clock.now() - started) / 1000
    const { body, complete } = await readBody(request, response, maxBytes)
    const received = clock.now()

    const tenant = caller.tenant?.name ?? null
    const readLimit = readLimitOf(target.collection, tenant)
    response.once('close', () => readLimit.notice(response.statusCode, response.getHeader('retry-after')?.toString()))
    const sendOriginal = () => {
      const held = holdOriginal(request, response, body)
      void held.status.then(status => readLimit.notice(status, held.retryAfter))
      return held
    }
    const { ending, end } = openEnding()
    const search: ReceivedSearch = { request, response, target, body, caller, decision, sessionId, ending, readLimit }
    const attempted = complete ? attempt(search, sendOriginal) : Promise.reject(tooLarge(maxBytes))
    const { result: answer, original, hedged } = await attempted.catch(notAttempted)
    if (caller.signal.aborted) return
    const send = (improved: ImprovedAnswer) => sendImproved(response, target, improved, secondsSoFar())
    const result = answer instanceof NotImproved ? answer : sendOrPass(() => send(answer))
    end(result instanceof NotImproved ? result.reason : null)
    const subject: OutcomeSubject = {
      endpoint: 'points',
      tenant,
      sessionId,
      requestId: requestIdOf(response),
      decision,
    }
    tellSearchOutcome(observeOutcome, subject, result, (clock.now() - received) / 1_000, response)
    const event = { tenant, hedged }
    if (result instanceof NotImproved) {
      const { reason, message: detail } = result
      response.setHeader('x-stowage-applied', 'passthrough').setHeader('x-stowage-degraded', reason)
      handOver(response, { reason, body, held: original })
      report({ ...event, reason, detail, applied: [], degraded: [reason], seconds: secondsSoFar() })
      next()
    } else {
      const { applied, degraded } = result
      report({ ...event, reason: null, detail: '', applied, degraded, seconds: secondsSoFar() })
    }
  }
}

/** A search of a client, with its whole body. */
interface ReceivedSearch extends Omit<AskedSearches, 'queries'> {
  response: ServerResponse
  body: Buffer
  readLimit: ReadLimit
}

/** Share of the hedge time that the last of many attempts may wait for the event loop. */
const CHOOSING_ROOM = 0.5

/** Attempts to improve searches, as many as fit, and none while improving is paused. The result rejects with `NotImproved`, or with an unexpected error. */
function createAttempts(dependencies: Omit<ImprovingDependencies, OfAttempts>, breakers: Breakers) {
  const { hedgeMs, clock } = dependencies
  const admit = createAdmission(hedgeMs * CHOOSING_ROOM)
  const refusals = { depth: new Refusals(), documents: new Refusals() }
  // Each answer tells when it lacks what was not read.
  const [documents, neighbours] = [createBreakers(clock, () => {}), createBreakers(clock, () => {})]
  const shared = { ...dependencies, refusals, readBreakers: { documents, neighbours } }
  return async (
    { response, body, readLimit, ...search }: ReceivedSearch,
    sendOriginal: () => HeldAnswer,
  ): Promise<Outcome> => {
    const { request, target, caller } = search
    const tenant = caller.tenant?.name ?? null
    refuseUnknownParameters(target.queryString)
    const queries = understand(readJsonText(request, body), target)
    const leave = admit(tenant)
    if (leave === null) throw new NotImproved('busy', 'too many attempts in flight')
    const work = new WorkMeter(clock)
    try {
      const admitted = breakers.admit(target.collection, tenant)
      if (admitted === null)
        throw new NotImproved('improving_paused', 'earlier attempts were not improved, or Qdrant has asked to wait')
      const improving = startImproving({ ...search, queries }, { ...shared, work, readLimit })
      const outcome = await firstGoodAnswer(improving, sendOriginal)
      judge(admitted, outcome, response)
      return outcome
    } finally {
      leave(work.workedMs)
    }
  }
}

const tooLarge = (maxBytes: number) => new NotImproved('body_too_large', `more than ${maxBytes} bytes`)

/** How a request ends, which is known later. */
function openEnding() {
  let end = (_reason: PassthroughReason | null) => {}
  const ending = new Promise<PassthroughReason | null>(resolve => {
    end = resolve
  })
  return { ending, end }
}

function notAttempted(error: unknown): Outcome {
  return { result: asNotImproved(error), original: null, hedged: false }
}

/** An answer that cannot be sent is none: the original request is the way back. */
function sendOrPass<Sent>(send: () => Sent): Sent | NotImproved {
  try {
    return send()
  } catch (error) {
    return asNotImproved(error)
  }
}

/**
 * Tells the breaker whether the attempt was worth its calls. It was not when Qdrant was slow, or when Qdrant takes the client's own
 * request and not the improved search. A request that Qdrant refuses in both forms says nothing.
 */
function judge(attempt: Attempt, { result, hedged }: Outcome, response: ServerResponse): void {
  if (!(result instanceof NotImproved)) attempt.settle('good')
  else if (hedged) attempt.settle('bad')
  else if (response.destroyed) attempt.settle('unknown')
  else {
    response.once('close', () => {
      attempt.settle(response.writableFinished && response.statusCode < 300 ? 'bad' : 'unknown')
    })
  }
}
