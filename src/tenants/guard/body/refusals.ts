import { badRequest, StowageError } from '../../../core/errors.ts'
import { shortened } from '../../../core/schema-faults.ts'

export function forbidden(message: string): StowageError {
  return new StowageError('forbidden', message)
}

export function unknownField(field: string, where: string): StowageError {
  return badRequest(`Unknown field ${shown(JSON.stringify(field))} in ${where}.`)
}

/** What a client wrote, for an error: at most its first 50 characters. */
export function shown(text: string): string {
  return shortened(text, 50)
}
