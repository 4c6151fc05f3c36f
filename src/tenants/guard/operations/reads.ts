import { badRequest } from '../../../core/errors.ts'
import { collectionPath } from '../../../qdrant/paths.ts'
import { present } from '../../../qdrant/raw-json.ts'
import { type Fields, keep, type Members, printMembers, type ReadValue, readMembers } from '../body/fields.ts'
import { addFilter, filter } from '../body/filter.ts'
import { type PointIdText, readPointId, readPointIds, readPointIdText } from '../body/point-id.ts'
import { hasId } from '../body/scope.ts'
import { orderBy, SHOWN_FIELDS, shardKey } from '../body/search-fields.ts'
import type { AnswerShape, GuardedRequest } from '../guarded.ts'
import type { Guard, RoutedRequest } from '../routes/route.ts'
import { guardBody, readBody, scopeOf } from './guarding.ts'

/** Where the next page of a scroll begins: an id or null. */
const pageStart: ReadValue = reader => (reader.kind === 'null' ? reader.take() : readPointId(reader.take()))

/** Qdrant estimates a count from the whole collection when it need not be exact, so the count of a tenant always is. */
const exact: ReadValue = (reader, scope) => {
  const asked = reader.take()
  return scope.condition === null ? asked : 'true'
}

export const guardScroll = filtered({ ...SHOWN_FIELDS, offset: pageStart, limit: keep, order_by: orderBy })
export const guardFacet = filtered({ key: keep, limit: keep, exact: keep })
export const guardCount = filtered({ exact })

function filtered(fields: Fields): Guard {
  const known = { ...fields, filter, shard_key: shardKey }
  return guardBody(function* read(reader, scope) {
    const members = yield* readMembers(reader, scope, known, 'the body')
    addFilter(members, scope)
    return printMembers(members)
  })
}

const RETRIEVE_FIELDS: Fields = { ...SHOWN_FIELDS, shard_key: shardKey }

/** `POST points` becomes a scroll over its ids. */
export const guardRetrieve: Guard = function* guard(request, text) {
  let found: PointIdText[] | null = null
  const ids: ReadValue = function* read(reader) {
    found = yield* readPointIds(reader)
    return ''
  }
  const scope = scopeOf(request)
  const members = yield* readBody(text, reader => readMembers(reader, scope, { ...RETRIEVE_FIELDS, ids }, 'the body'))
  if (found === null) throw badRequest('Missing field `ids`.')
  members.delete('ids')
  return scrollOver(request, 'points_by_id', found, members)
}

/** `GET points/{id}` becomes a scroll too. It shows payload and vectors. */
// biome-ignore lint/correctness/useYield: a step without a pause
export const guardPoint: Guard = function* guard(request) {
  const ids = [readPointIdText(request.parts.id ?? '')]
  return scrollOver(request, 'point_by_id', ids, new Map([['with_vector', 'true']]))
}

function scrollOver(
  request: RoutedRequest,
  kind: Extract<AnswerShape, { ids: unknown }>['kind'],
  mentioned: readonly PointIdText[],
  shown: Members,
): GuardedRequest {
  const ids = [...new Set(mentioned)]
  const body: Members = new Map([
    ...shown,
    ['with_payload', present(shown, 'with_payload') ?? 'true'],
    ['filter', scopeOf(request).must(hasId(ids))],
    // Qdrant refuses a limit of 0.
    ['limit', String(Math.max(1, ids.length))],
  ])
  return {
    method: 'POST',
    target: `${collectionPath(request.collection ?? '', 'points/scroll')}${request.queryString}`,
    body: printMembers(body),
    checks: [],
    answer: { kind, ids },
  }
}
