import type { Steps } from '../../core/steps.ts'
import type { PointId } from '../../core/types.ts'
import { type JsonVisitor, type Span, scanJson, textOf } from '../../http/body/scan-json.ts'
import { parseJson } from '../../qdrant/json.ts'
import type { UpsertRoute } from '../../qdrant/paths.ts'
import { readPointId } from '../../qdrant/points.ts'

/** The ids of the points that a body upserts, 64-bit ones with every digit; none when it is not JSON. One pass over the bytes, in steps. */
export function* writtenIds(body: Buffer, route: UpsertRoute): Steps<PointId[]> {
  const reader = new IdReader(body)
  const isJson = yield* scanJson<Node>(body, route === 'batch' ? 'batch' : 'upsert', reader)
  return isJson ? reader.ids : []
}

/** The containers that are read. */
type Node = 'batch' | 'operations' | 'operation' | 'upsert' | 'points' | 'point' | 'columns' | 'ids'

const BELOW: Readonly<Record<Node, (key: string) => Node | null>> = {
  batch: key => (key === 'operations' ? 'operations' : null),
  operations: () => 'operation',
  operation: key => (key === 'upsert' ? 'upsert' : null),
  upsert: key => (key === 'points' ? 'points' : key === 'batch' ? 'columns' : null),
  points: () => 'point',
  point: () => null,
  columns: key => (key === 'ids' ? 'ids' : null),
  ids: () => null,
}

/** Bytes of the longest id: a UUID with `urn:uuid:` and quotes is 47 long. */
const LONGEST_ID = 64

class IdReader implements JsonVisitor<Node> {
  readonly #body: Buffer
  #id = ''
  readonly ids: PointId[] = []

  constructor(body: Buffer) {
    this.#body = body
  }

  enter(parent: Node, key: string): Node | null {
    const node = BELOW[parent](key)
    if (node === 'point') this.#id = ''
    return node
  }

  leave(parent: Node, key: string, _index: number, span: Span): void {
    // Of duplicate keys the last one counts, as in Qdrant.
    if (parent === 'point' && key === 'id') this.#id = textOf(this.#body, span, LONGEST_ID)
    else if (parent === 'points') this.#add(this.#id)
    else if (parent === 'ids') this.#add(textOf(this.#body, span, LONGEST_ID))
  }

  #add(raw: string): void {
    try {
      this.ids.push(readPointId(parseJson(raw)))
    } catch {
      // Qdrant refuses such an id.
    }
  }
}
