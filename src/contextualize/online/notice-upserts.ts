import { messageOf } from '../../core/errors.ts'
import type { Steps } from '../../core/steps.ts'
import type { PointId } from '../../core/types.ts'
import { BodyCopy, type CopyRoom } from '../../http/body/body-copy.ts'
import { decodeBody } from '../../http/body/decode-body.ts'
import { type JsonVisitor, type Span, scanJson, textOf } from '../../http/body/scan-json.ts'
import { handedOver } from '../../http/passthrough/hand-over.ts'
import type { Step, StepRequest } from '../../http/step.ts'
import { Pace } from '../../pipeline/pacing/pace.ts'
import { parseJson } from '../../qdrant/json.ts'
import { readUpsertTarget, type UpsertRoute } from '../../qdrant/paths.ts'
import { readPointId } from '../../qdrant/points.ts'

/** Points that Qdrant has written, or has said that it will write. */
export interface WrittenPoints {
  collection: string
  ids: readonly PointId[]
  /** Whether Qdrant has answered after the write. */
  isWritten: boolean
}

export interface NoticeOptions {
  /** Whether the points of a collection get contexts. The bodies of other requests are not touched. */
  isWanted(collection: string): boolean
  onWritten(points: WrittenPoints): void
  /** The ids of an upsert are not known. */
  onUnread(event: { collection: string; detail: string }): void
  /** Most bytes of a body, before and after its content coding is undone. Default: 32 MiB, the limit that Qdrant has by default. */
  maxBytes?: number
}

const DEFAULT_MAX_BYTES = 32 * 2 ** 20
/** Bytes of all copies at a time. */
const MAX_COPIED = 128 * 2 ** 20
const NEVER = new AbortController().signal

/**
 * Notices the points that clients write. A request streams on as it is, and its bytes are copied as they go by; the copy is read after
 * Qdrant has answered with success.
 */
export function createUpsertNotice(options: NoticeOptions): Step {
  const { isWanted, onWritten, onUnread, maxBytes = DEFAULT_MAX_BYTES } = options
  const room: CopyRoom = { free: MAX_COPIED }

  return function noticeUpsert(request, response, next) {
    const target = readUpsertTarget(request.method, request.originalUrl)
    if (target === null || !isWanted(target.collection)) return next()
    const { collection, route } = target
    const copy = new BodyCopy(request, handedOver(response).body, room, maxBytes)
    response.once('close', async () => {
      try {
        if (!response.headersSent || response.statusCode < 200 || response.statusCode > 299) return
        const ids = await idsOf(copy, route, request, maxBytes)
        if (ids.length > 0) onWritten({ collection, ids, isWritten: isWaited(request.originalUrl) })
      } catch (error) {
        onUnread({ collection, detail: messageOf(error) })
      } finally {
        copy.release()
      }
    })
    next()
  }
}

/** @throws Error when the body cannot be read */
async function idsOf(copy: BodyCopy, route: UpsertRoute, request: StepRequest, maxBytes: number): Promise<PointId[]> {
  const body = copy.bytes()
  if (body === null) throw new Error('the body is too large')
  const decoded = await decodeBody(body, request.headers['content-encoding'] ?? 'identity', maxBytes)
  if (typeof decoded === 'string') throw new Error(decoded)
  return new Pace(NEVER).run(writtenIds(decoded, route), 0)
}

function isWaited(requestTarget: string): boolean {
  return new URLSearchParams(/\?([^#]*)/u.exec(requestTarget)?.[1] ?? '').get('wait') === 'true'
}

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
