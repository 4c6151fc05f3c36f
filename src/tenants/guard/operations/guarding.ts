import { badRequest } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import { JsonReader } from '../../../qdrant/json-reader.ts'
import { RawJsonError } from '../../../qdrant/raw-json.ts'
import { inSteps, type ReadValue } from '../body/fields.ts'
import { shown } from '../body/refusals.ts'
import { Scope } from '../body/scope.ts'
import type { Guard, RoutedRequest } from '../routes/route.ts'

/** A guard that sends the request to its own route with another body. */
export function guardBody(read: ReadValue): Guard {
  return function* guard(request, text) {
    const scope = scopeOf(request)
    const body = yield* readBody(text, reader => inSteps(read(reader, scope, 0)))
    return {
      method: request.method,
      target: request.target,
      body,
      checks: scope.checks(),
      answer: { kind: 'unchanged' },
    }
  }
}

export function scopeOf({ tenant, collection }: RoutedRequest): Scope {
  return new Scope(tenant, collection ?? '')
}

/** Reads a whole body. @throws StowageError `bad_request` when it is not JSON */
export function* readBody<Result>(text: string, read: (reader: JsonReader) => Steps<Result>): Steps<Result> {
  const reader = new JsonReader(text)
  try {
    const result = yield* read(reader)
    reader.end()
    return result
  } catch (error) {
    if (error instanceof RawJsonError) throw badRequest(`Format error in JSON body: ${shown(error.message)}`)
    throw error
  }
}
