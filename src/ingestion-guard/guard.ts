import { messageOf, StowageError } from '../core/errors.ts'
import { shortened } from '../core/schema-faults.ts'
import type { JsonObject } from '../core/types.ts'
import type { UpsertFaultCode } from '../core/vocabulary.ts'
import { decodeBody } from '../http/body/decode-body.ts'
import { readBody } from '../http/body/read-body.ts'
import { apiKeyOf, tenantOf } from '../http/caller.ts'
import { handOver } from '../http/passthrough/hand-over.ts'
import type { Step, StepRequest, StepResponse } from '../http/step.ts'
import type { GuardedUpsert } from '../observe/events.ts'
import { Pace } from '../pipeline/pacing/pace.ts'
import { readUpsertTarget, type UpsertRoute } from '../qdrant/paths.ts'
import { checkUpserts, type UpsertReport } from './check-upserts.ts'
import type { UpsertFault } from './faults.ts'

/** A collection whose upserts are checked. */
export interface ManagedCollection {
  /** Version of the embedder of a stored point; null when no point has one. */
  embedderVersion: string | null
}

/** The points of a collection that a request can see. */
export interface PointScope {
  collection: string
  apiKey: string | null
  /** The condition on all points of a tenant: what others have stored decides nothing, and is not shown. */
  condition: JsonObject | null
}

export interface ManagedCollections {
  /** Null for a collection that is not managed. The answer may be half a minute old. @throws StowageError when Qdrant cannot be asked */
  look(scope: PointScope): Promise<ManagedCollection | null>
  /** Makes the next look ask Qdrant. */
  forget(scope: PointScope): void
}

export interface GuardDependencies {
  collections: ManagedCollections
  /** Whether points that do not fit are refused, or only counted and logged. */
  mode: 'enforce' | 'warn'
  allowMixed: boolean
  /** Most bytes of a body that is checked, before and after its content coding is undone. Default: 32 MiB, the limit that Qdrant has by default. */
  maxBytes?: number
  report(event: GuardedUpsert): void
}

const DEFAULT_MAX_BYTES = 32 * 1024 * 1024

interface Fault {
  reason: UpsertFaultCode
  error: StowageError
}

/**
 * Checks the points that clients write to managed collections. The bytes of a request that goes on are not changed. All other
 * requests are not read. When the guard itself fails, the request goes on.
 */
export function createIngestionGuard(dependencies: GuardDependencies): Step {
  const { collections, mode, allowMixed, maxBytes = DEFAULT_MAX_BYTES, report } = dependencies

  return async function guardUpserts(request, response, next) {
    const target = readUpsertTarget(request.method, request.originalUrl)
    if (target === null) return next()
    const { collection, route } = target
    const scope = { collection, ...readerOf(request, response) }
    const fault = await findFault(scope, route, request, response).catch(unchecked)
    if (response.destroyed) return
    if (fault === null) return next()
    const { reason, error } = fault
    const action = reason === 'unchecked' ? 'passed' : mode === 'enforce' ? 'refused' : 'warned'
    report({ action, reason, collection, detail: error.message })
    if (action === 'refused') throw new StowageError(error.code, `${error.message} ${REFUSED}`)
    next()
  }

  async function findFault(
    scope: PointScope,
    route: UpsertRoute,
    request: StepRequest,
    response: StepResponse,
  ): Promise<Fault | null> {
    const managed = await collections.look(scope)
    if (managed === null) return null
    const { body, complete } = await readBody(request, response, maxBytes)
    handOver(response, { reason: 'route', body })
    const coding = request.headers['content-encoding'] ?? 'identity'
    const decoded = complete ? await decodeBody(body, coding, maxBytes) : 'body_too_large'
    if (decoded === 'body_too_large') return tooLarge(maxBytes)
    if (decoded === 'body_unreadable') return unreadable(coding)
    const first = await check(decoded, route, managed)
    if (first.faults.length === 0) {
      if (first.embedderVersion !== managed.embedderVersion) collections.forget(scope)
      return null
    }
    // The collection may have changed since it was looked at, and a refusal must be true now.
    collections.forget(scope)
    const current = await collections.look(scope)
    if (current === null) return null
    const second = await check(decoded, route, current)
    return second.faults.length === 0 ? null : misfit(scope.collection, second)
  }

  function check(body: Buffer, route: UpsertRoute, { embedderVersion }: ManagedCollection): Promise<UpsertReport> {
    const pace = new Pace(NEVER)
    return pace.run(checkUpserts(body, route, { embedderVersion, allowMixed }), 0)
  }
}

const REFUSED = 'Nothing was written. INGESTION_GUARD=warn lets such a request pass.'
const NEVER = new AbortController().signal

/** Who reads: a tenant with its own key for Qdrant, or the client with the key that it sent. */
function readerOf(request: StepRequest, response: StepResponse): Omit<PointScope, 'collection'> {
  const tenant = tenantOf(response)
  if (tenant === null) return { apiKey: apiKeyOf(request), condition: null }
  return { apiKey: tenant.upstreamKey, condition: tenant.condition }
}

function misfit(collection: string, report: UpsertReport): Fault {
  const isMixed = report.faults.some(({ field }) => field === 'embedder_version')
  return {
    reason: isMixed ? 'embedder_version' : 'payload_field',
    error: new StowageError('unprocessable', describeFaults(collection, report)),
  }
}

function tooLarge(maxBytes: number): Fault {
  const message = `The points of a managed collection are checked, and this body has more than ${maxBytes} bytes. Send fewer points at a time.`
  return { reason: 'body_too_large', error: new StowageError('payload_too_large', message) }
}

function unreadable(coding: string): Fault {
  const message = `The points of a managed collection are checked, and the content coding ${coding.slice(0, 50)} of this body cannot be undone. Send it without.`
  return { reason: 'body_unreadable', error: new StowageError('unprocessable', message) }
}

function unchecked(cause: unknown): Fault {
  const message = messageOf(cause)
  return { reason: 'unchecked', error: new StowageError('internal', message, { cause }) }
}

const LONGEST_SHOWN = 100

const MUST_BE = {
  text: 'a text',
  position: 'a whole number from 0',
  share: 'a number from 0 to 1',
  'list of texts': 'a list of texts',
} as const

/** One sentence or more for each fault: the field, the points, the values, and the setting that allows it. */
function describeFaults(collection: string, { points, faults }: UpsertReport): string {
  const described = faults.map(fault => `${fault.field}: ${describe(fault, points)}`)
  return `The points do not fit the managed collection ${collection}. ${described.join(' ')}`
}

function describe(fault: UpsertFault, points: number): string {
  const which = `${fault.points} of ${points} points (ids ${idsOf(fault)})`
  const value = shortened(fault.value ?? '', LONGEST_SHOWN)
  switch (fault.problem) {
    case 'missing':
      return `missing in ${which}.${fault.field === 'embedder_version' ? ALLOWED : ''}`
    case 'other embedder':
      return `${value} in ${which}, but the vectors of the collection are of ${shortened(fault.stored ?? '', LONGEST_SHOWN)}, and vectors of different embedders cannot be compared.${ALLOWED}`
    default:
      return `${value} in ${which} must be ${MUST_BE[fault.problem]}.`
  }
}

const ALLOWED = ' INGESTION_GUARD_ALLOW_MIXED=on allows it.'

function idsOf({ ids, points }: UpsertFault): string {
  const shown = ids.map(id => shortened(id || 'none', LONGEST_SHOWN)).join(', ')
  return points > ids.length ? `${shown} and ${points - ids.length} more` : shown
}
