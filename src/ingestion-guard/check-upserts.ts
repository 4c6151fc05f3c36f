import type { Steps } from '../core/steps.ts'
import { type JsonVisitor, type Span, scanJson, textOf } from '../http/body/scan-json.ts'
import type { UpsertRoute } from '../qdrant/paths.ts'
import { FaultList, type UpsertFault } from './faults.ts'
import { type FieldValue, fits, isMissing, PAYLOAD_FIELDS, REQUIRED_FIELDS, readText } from './fields.ts'

/** What the points of a request are checked against. */
export interface UpsertRules {
  /** Version of the embedder of the stored points; null when no point has one. */
  embedderVersion: string | null
  allowMixed: boolean
}

export interface UpsertReport {
  points: number
  /** Version of the embedder of the stored points, or of the first written point that has one. */
  embedderVersion: string | null
  /** One for each field and kind of fault; empty when all points fit, and when the body is not JSON: Qdrant refuses it. */
  faults: UpsertFault[]
}

/**
 * Checks the points that a request writes: the fields of their payloads, and that all vectors are of the embedder of the collection. In an
 * empty collection the first point says which embedder that is. One pass over the bytes, in steps.
 * @param body JSON of `PUT /points`, or of `POST /points/batch`.
 */
export function* checkUpserts(body: Buffer, route: UpsertRoute, rules: UpsertRules): Steps<UpsertReport> {
  const judge = new PointJudge(rules)
  const reader = new PointReader(body, judge)
  const isJson = yield* scanJson(body, route === 'batch' ? 'batch' : 'upsert', reader)
  if (!isJson) return { points: 0, embedderVersion: rules.embedderVersion, faults: [] }
  for (const { ids, payloads } of reader.columns) {
    for (const [index, id] of ids.entries()) {
      if (index % POINTS_BETWEEN_PAUSES === 0) yield
      judge.judge(id, payloads[index] ?? NO_PAYLOAD)
    }
  }
  return { points: judge.points, embedderVersion: judge.version, faults: judge.faults() }
}

const POINTS_BETWEEN_PAUSES = 500
/** Bytes of an id or a value that are kept: more than the version of any embedder has. */
const LONGEST_KEPT = 1_000

type Payload = ReadonlyMap<string, FieldValue>
const NO_PAYLOAD: Payload = new Map()

/** Points as columns: `{"batch": {"ids": […], "payloads": […], "vectors": …}}`, which may come in any order. */
interface Columns {
  ids: string[]
  payloads: Payload[]
}

/** The containers that are read. */
type Node =
  | ('batch' | 'operations' | 'operation' | 'upsert' | 'points' | 'point' | 'payload' | 'list')
  | ('columns' | 'ids' | 'payloads')

/** The container below another one; null when it is not read. */
function nodeBelow(parent: Node, key: string): Node | null {
  switch (parent) {
    case 'batch':
      return key === 'operations' ? 'operations' : null
    case 'operations':
      return 'operation'
    case 'operation':
      return key === 'upsert' ? 'upsert' : null
    case 'upsert':
      return key === 'points' ? 'points' : key === 'batch' ? 'columns' : null
    case 'points':
      return 'point'
    case 'point':
      return key === 'payload' ? 'payload' : null
    case 'columns':
      return key === 'ids' || key === 'payloads' ? key : null
    case 'payloads':
      return 'payload'
    case 'payload':
      return key === 'acl' ? 'list' : null
    default:
      return null
  }
}

/** Finds ids and payloads in a body. Of duplicate keys of a payload the last one counts, as in Qdrant. */
class PointReader implements JsonVisitor<Node> {
  readonly #body: Buffer
  readonly #judge: PointJudge
  #id = ''
  #payload = new Map<string, FieldValue>()
  #allTexts = true
  readonly columns: Columns[] = []

  constructor(body: Buffer, judge: PointJudge) {
    this.#body = body
    this.#judge = judge
  }

  enter(parent: Node, key: string): Node | null {
    const node = nodeBelow(parent, key)
    if (node === 'point') this.#id = ''
    if (node === 'point' || node === 'payload') this.#payload = new Map()
    if (node === 'columns') this.columns.push({ ids: [], payloads: [] })
    if (node === 'list') this.#allTexts = true
    return node
  }

  leave(parent: Node, key: string, index: number, span: Span): void {
    const columns = this.columns.at(-1)
    if (parent === 'points') this.#judge.judge(this.#id, this.#payload)
    else if (parent === 'point' && key === 'id') this.#id = this.#text(span)
    else if (parent === 'payload' && PAYLOAD_FIELDS.has(key)) this.#payload.set(key, this.#valueOf(span))
    else if (parent === 'list') this.#allTexts &&= textOf(this.#body, span, 1) === '"'
    else if (parent === 'ids' && columns) columns.ids[index] = this.#text(span)
    else if (parent === 'payloads' && columns) columns.payloads[index] = this.#payload
  }

  #valueOf(span: Span): FieldValue {
    const isWhole = span.end - span.start <= LONGEST_KEPT
    return { json: this.#text(span), isWhole, allTexts: this.#allTexts }
  }

  #text(span: Span): string {
    return textOf(this.#body, span, LONGEST_KEPT)
  }
}

class PointJudge {
  readonly #rules: UpsertRules
  readonly #list = new FaultList()
  /** Points without a version; a fault only when others have one. */
  readonly #unversioned = new FaultList()
  version: string | null
  points = 0

  constructor(rules: UpsertRules) {
    this.#rules = rules
    this.version = rules.embedderVersion
  }

  faults(): UpsertFault[] {
    const isVersioned = this.version !== null && !this.#rules.allowMixed
    return [...this.#list.faults, ...(isVersioned ? this.#unversioned.faults : [])]
  }

  /** @param id JSON of the id */
  judge(id: string, payload: Payload): void {
    this.points++
    for (const field of REQUIRED_FIELDS) {
      if (isMissing(payload.get(field))) this.#list.add({ field, problem: 'missing' }, id)
    }
    for (const [field, value] of payload) {
      const kind = PAYLOAD_FIELDS.get(field)
      if (kind !== undefined && !isMissing(value) && !fits(value, kind))
        this.#list.add({ field, problem: kind, value: value.json }, id)
    }
    this.#judgeVersion(payload.get('embedder_version'), id)
  }

  #judgeVersion(value: FieldValue | undefined, id: string): void {
    const field = 'embedder_version'
    if (isMissing(value)) {
      this.#unversioned.add({ field, problem: 'missing' }, id)
      return
    }
    // A version that is not a text is a fault already.
    const version = readText(value)
    if (version === null) return
    this.version ??= version
    if (version !== this.version && !this.#rules.allowMixed)
      this.#list.add({ field, problem: 'other embedder', value: value.json, stored: JSON.stringify(this.version) }, id)
  }
}
