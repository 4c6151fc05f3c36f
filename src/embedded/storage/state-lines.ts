import { creatingBody } from '../aliases.ts'
import type { Engine } from '../engine.ts'
import { parseJson } from '../wire/json.ts'
import { readRecord, readString } from '../wire/shape.ts'
import { changeLine, restoreLine, restorePoints } from './log-lines.ts'

/** Levels of nesting in a line: a payload as deep as a request, below a payload key as long as one may be, and the line around it. */
const LINE_DEPTH = 400

export function* stateLines(engine: Engine): Generator<string> {
  for (const [name, collection] of engine.collections) {
    yield changeLine({ kind: 'create_collection', collection: name, body: collection.config })
    for (const [field_name, { schema }] of collection.indexes) {
      yield changeLine({ kind: 'create_index', collection: name, body: { field_name, field_schema: schema } })
    }
    yield restoreLine(name, collection.nextOperation, [])
    for (const point of collection.inOrder()) {
      yield restoreLine(name, collection.nextOperation, [{ point, vectors: collection.vectorsOf(point.id) }])
    }
  }
  yield changeLine({ kind: 'update_aliases', collection: '', body: creatingBody(engine.aliases) })
}

/** Applies a line of `changeLine`, `restoreLine` or `stateLines`. @throws Error on any other line, and then nothing is changed */
export async function applyLine(engine: Engine, line: string): Promise<void> {
  const { kind, collection, body } = readRecord(parseJson(line, LINE_DEPTH, Number.POSITIVE_INFINITY), 'line')
  const name = readString(collection, 'collection')
  if (kind === 'restore') restorePoints(engine.collection(name), body)
  else await engine.apply({ kind: readString(kind, 'kind'), collection: name, body })
}
