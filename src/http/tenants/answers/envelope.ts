import { notUnderstood } from '../../../qdrant/errors.ts'
import { members, printMembers, RawJsonError } from '../../../qdrant/raw-json.ts'

/**
 * Reads the raw `result` of an answer of Qdrant.
 * @throws StowageError `upstream_error` when the answer, or what `read` looks for, has another shape
 */
export function readResult<T>(text: string, read: (result: string) => T): T {
  return understanding(() => read(memberOf(text, 'result')))
}

/** Replaces the `result` of an answer of Qdrant. All other bytes of its members stay. @throws StowageError `upstream_error` */
export function replaceResult(text: string, result: string): string {
  return understanding(() => printMembers(members(text).set('result', result)))
}

/** The raw value of a member. @throws RawJsonError when it is absent */
export function memberOf(raw: string, name: string): string {
  const value = members(raw).get(name)
  if (value === undefined) throw new RawJsonError(`no member ${name}`)
  return value
}

function understanding<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    // The text may hold what is not the tenant's, so that the error does not show it.
    if (error instanceof RawJsonError) throw notUnderstood('unexpected shape')
    throw error
  }
}
