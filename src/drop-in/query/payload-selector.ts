import { elements, kindOf, members, printMembers, RawJsonError } from '../../qdrant/raw-json.ts'

/** The top-level payload keys that a client selects with `with_payload`. */
export type PayloadSelector =
  | { kind: 'none' }
  | { kind: 'all' }
  | { kind: 'include' | 'exclude'; keys: ReadonlySet<string> }

/**
 * Reads `with_payload`. Absent and null select nothing, like in Qdrant's query API.
 * @throws RawJsonError on anything but plain top-level keys; only Qdrant can select nested paths
 */
export function readPayloadSelector(raw: string | null): PayloadSelector {
  if (raw === null) return { kind: 'none' }
  switch (kindOf(raw)) {
    case 'boolean':
      return { kind: raw === 'true' ? 'all' : 'none' }
    case 'array':
      return { kind: 'include', keys: readKeys(raw) }
    case 'object': {
      const [entry, ...others] = members(raw)
      if (entry === undefined || others.length > 0) throw new RawJsonError('with_payload: one of include, exclude')
      const [kind, keys] = entry
      if (kind !== 'include' && kind !== 'exclude') throw new RawJsonError(`with_payload: unknown key ${kind}`)
      return { kind, keys: readKeys(keys) }
    }
    default:
      throw new RawJsonError('with_payload: neither boolean, array nor object')
  }
}

/** Reduces a raw payload to the selected keys in stored order and spelling. Null means that the point has no `payload`. */
export function selectPayload(rawPayload: string | null, selector: PayloadSelector): string | null {
  if (rawPayload === null || selector.kind === 'none') return null
  if (selector.kind === 'all' || kindOf(rawPayload) !== 'object') return rawPayload
  return printMembers(
    [...members(rawPayload)].filter(([key]) => selector.keys.has(key) === (selector.kind === 'include')),
  )
}

/** What Qdrant takes as a path without quotes. It refuses other characters. */
const PLAIN_KEY = /^[\p{Alphabetic}\p{N}_-]+$/u

function readKeys(raw: string): Set<string> {
  const keys = elements(raw).map(key => {
    if (kindOf(key) !== 'string') throw new RawJsonError('with_payload: a key is not a string')
    return JSON.parse(key) as string
  })
  const plain = keys.every(key => PLAIN_KEY.test(key))
  if (keys.length === 0 || !plain) throw new RawJsonError('with_payload: not a list of plain top-level keys')
  return new Set(keys)
}
