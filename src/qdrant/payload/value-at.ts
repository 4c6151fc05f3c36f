import { isObject } from '../json.ts'

/** LlamaIndex stores a node with its text as JSON in the string of this field. */
export const NODE_CONTENT = '_node_content'
/** Fields of a payload in which frameworks put what documents say about themselves. */
export const CONTAINERS = ['metadata', 'meta']

/** The value at a dotted path of the payload, also inside of `_node_content`, whose own value is its text; undefined when there is none. */
export function valueAt(payload: unknown, path: string): unknown {
  if (!isObject(payload)) return undefined
  if (Object.hasOwn(payload, path))
    return path === NODE_CONTENT ? valueAt(nodeOf(payload[path]), 'text') : payload[path]
  const dot = path.indexOf('.')
  if (dot < 0) return undefined
  const outer = path.slice(0, dot)
  if (!Object.hasOwn(payload, outer)) return undefined
  return valueAt(outer === NODE_CONTENT ? nodeOf(payload[outer]) : payload[outer], path.slice(dot + 1))
}

/** A whole number from 0, as a double; null for other values. */
export function asIndex(value: unknown): number | null {
  const index = typeof value === 'bigint' ? Number(value) : value
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : null
}

/** The node that was parsed last: the fields of a point are read one after the other. */
let lastNode: { json: string; node: unknown } = { json: '', node: undefined }

function nodeOf(json: unknown): unknown {
  if (typeof json !== 'string') return undefined
  if (json !== lastNode.json) lastNode = { json, node: parsed(json) }
  return lastNode.node
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
