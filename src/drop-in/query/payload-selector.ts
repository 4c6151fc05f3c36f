import { elements, kindOf, members, RawJsonError } from '../../qdrant/raw-json.ts'

/** Which top-level payload keys a client asked for (`with_payload`). */
export type PayloadSelector =
  | { kind: 'none' }
  | { kind: 'all' }
  | { kind: 'include' | 'exclude'; keys: ReadonlySet<string> }

/**
 * Reads `with_payload`; absent and null select nothing, as in Qdrant's query API.
 * @throws RawJsonError on what is not plain top-level keys: nested paths are Qdrant's to cut.
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

/**
 * Strips a raw payload to the selected keys, in their stored order and spelling.
 * Null when the point is to have no `payload` member at all.
 */
export function selectPayload(rawPayload: string | null, selector: PayloadSelector): string | null {
  if (rawPayload === null || selector.kind === 'none') return null
  if (selector.kind === 'all' || kindOf(rawPayload) !== 'object') return rawPayload
  const wanted = [...members(rawPayload)].filter(([key]) => selector.keys.has(key) === (selector.kind === 'include'))
  return `{${wanted.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`
}

function readKeys(raw: string): Set<string> {
  const keys = elements(raw).map(key => {
    if (kindOf(key) !== 'string') throw new RawJsonError('with_payload: a key is no string')
    return JSON.parse(key) as string
  })
  const plain = keys.every(key => /^[^.[\]"]+$/.test(key))
  if (keys.length === 0 || !plain) throw new RawJsonError('with_payload: not a list of plain top-level keys')
  return new Set(keys)
}
