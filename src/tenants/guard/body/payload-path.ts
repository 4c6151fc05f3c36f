import { badRequest } from '../../../core/errors.ts'

/** One step of a path into a payload: a member by its name, or elements of a list. */
type Step = { readonly key: string } | 'elements'

const STEP = /(?:^|(?!^)\.)(?:"([^"\\]*)"|([\p{Alphabetic}\p{N}_-]+))|(?!^)\[\d*\]/uy

/**
 * Reads a path as Qdrant does: `a.b`, `a[].b`, `a[0]`, `"a.b"`.
 * @throws StowageError `bad_request`
 */
export function parsePayloadPath(text: string): readonly Step[] {
  const steps: Step[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text)
    if (match === null) throw badRequest('A path into the payload cannot be read.')
    const key = match[1] ?? match[2]
    steps.push(key === undefined ? 'elements' : { key })
  }
  if (steps.length === 0) throw badRequest('A path into the payload is empty.')
  return steps
}

/**
 * How a path meets a field: `apart` when they have nothing in common, `above` when the path leads to an object around the field,
 * `within` when it leads to the field, into it, or to a list where the field has objects.
 */
export function relationTo(field: readonly string[], path: readonly Step[]): 'apart' | 'above' | 'within' {
  for (const [at, key] of field.entries()) {
    const step = path[at]
    if (step === undefined) return 'above'
    if (step === 'elements') return 'within'
    if (step.key !== key) return 'apart'
  }
  return 'within'
}
