import type { ChunkContext, ContextDocument, ContextRequest, ContextWriter } from '../../contexts/context.ts'
import { chunkHash, onlyPayload, textVersion } from '../../contexts/context-stamp.ts'
import { storedContext } from '../../contexts/payload-fields.ts'
import type { PointId } from '../../core/types.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import type { LivePoint } from '../live-collection.ts'
import { rebuildDocument } from './rebuild.ts'
import { documentKeys, hasText, isUpToDate, keyOf, type SurveyedDocument } from './survey.ts'

/** A context to write. */
export interface ContextTask {
  id: PointId
  /** `chunkHash` of the text. */
  hash: string
  /** Its key among the pending contexts. Changes with all that the context is written from, and by whom. */
  key: string
  request: ContextRequest
  writer: ContextWriter
  /** What the payload has of this writer, and the vectors do not see yet. */
  stored: ChunkContext | null
  document: SurveyedDocument
}

export type TaskDependencies = Pick<
  ContextualizeDependencies,
  'collection' | 'writer' | 'rules' | 'partition' | 'mustStay'
>

/**
 * The contexts to write for a document, in its order. Points that changed their document or their readers are left to the next survey.
 * @param version points with a context of this version are passed over
 */
export async function* tasksOf(
  document: SurveyedDocument,
  dependencies: TaskDependencies,
  version: string = dependencies.writer.version,
): AsyncGenerator<ContextTask> {
  const { collection, writer, rules, partition, mustStay } = dependencies
  const read = (await collection.read(document.ids)).filter(hasText)
  const keys = await documentKeys(read, partition)
  const points = read.filter((_, index) => keys[index] === document.key)
  const staying = writer.endpoint === null ? new Set<string>() : await mustStay(points.map(({ id }) => id))
  const groups: [ContextWriter, LivePoint[]][] = [
    [writer, points.filter(({ id }) => !staying.has(keyOf(id)))],
    // What is written from a text by a model may repeat it, so these points do not see the other ones either.
    [rules, points.filter(({ id }) => staying.has(keyOf(id)))],
  ]
  for (const [chosen, group] of groups) {
    const { text, parts } = rebuildDocument(group.map(point => ({ ...point.chunk, point })))
    const whole = documentOf(group, text)
    // Hashed once: a document may be long, and have many chunks.
    const written = contentHash(JSON.stringify([textVersion(chosen.version), whole]))
    for (const { part, start } of parts) {
      const { id, chunk, payload } = part.point
      if (!document.left.has(keyOf(id)) || isUpToDate(part.point, version)) continue
      const hash = chunkHash(chunk)
      const request = { document: whole, chunk: { sectionPath: chunk.sectionPath, text: chunk.text, start } }
      const isStored = isUpToDate(part.point, onlyPayload(writer.version)) && !isUpToDate(part.point, writer.version)
      const stored = isStored ? storedContext(payload) : null
      yield { id, hash, key: `${keyOf(id)}:${hash}:${written}`, request, writer: chosen, stored, document }
    }
  }
}

/** All chunks share the object: writers keep what they know of a document by it. */
function documentOf([first]: readonly LivePoint[], text: string): ContextDocument {
  const lang = typeof first?.payload.lang === 'string' ? first.payload.lang : null
  return { docId: first?.chunk.docId ?? '', title: first?.chunk.docTitle ?? '', text, lang }
}
