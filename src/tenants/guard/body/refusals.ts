import { StowageError } from '../../../core/errors.ts'

export function badRequest(message: string): StowageError {
  return new StowageError('bad_request', message)
}

export function forbidden(message: string): StowageError {
  return new StowageError('forbidden', message)
}

export function unknownField(field: string, where: string): StowageError {
  return badRequest(`Unknown field ${JSON.stringify(field)} in ${where}.`)
}

/** One text for collections that exist and for those that do not. */
export function unreachable(): StowageError {
  return forbidden('This collection is not allowed.')
}
