import type { ChunkContext, ContextDocument, ContextRequest, ContextWriter } from '../../contexts/context.ts'
import { chunkHash, onlyPayload, textVersion } from '../../contexts/context-stamp.ts'
import { storedContext } from '../../contexts/payload-fields.ts'
import { repeatedLength } from '../../core/prefix.ts'
import type { Chunk, PointId } from '../../core/types.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import type { LivePoint } from '../live-collection.ts'
import { documentKeys, hasText, isUpToDate, keyOf, type SurveyedDocument } from './survey.ts'

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

/** A chunk with what it takes to order it. */
type Part = Pick<Chunk, 'text' | 'orderIndex' | 'charStart' | 'charEnd'>

/** A document that was put together from its chunks. */
interface RebuiltDocument<P extends Part> {
  text: string
  /** The chunks in the order of the document, each with the place of its text in `text`, in UTF-16 code units. */
  parts: { part: P; start: number }[]
}

/**
 * Puts the text of a document together from its chunks. Chunks are ordered by their offsets, else by their order index, else as they are
 * given. Text that a chunk repeats from the one before is taken once; a gap becomes an empty line.
 */
export function rebuildDocument<P extends Part>(chunks: readonly P[]): RebuiltDocument<P> {
  const ordered = inOrder(chunks)
  const parts: RebuiltDocument<P>['parts'] = []
  let text = ''
  let end: number | null = null
  for (const part of ordered) {
    const exact = hasExactOffsets(part)
    const told = exact && end !== null && part.charStart < end ? end - part.charStart : null
    const shared = sharedLength(text, part.text, told)
    if (text !== '' && shared === 0 && !(exact && end === part.charStart)) text += '\n\n'
    parts.push({ part, start: text.length - shared })
    text += part.text.slice(shared)
    end = exact ? Math.max(part.charEnd, end ?? 0) : null
  }
  return { text, parts }
}

function inOrder<P extends Part>(chunks: readonly P[]): P[] {
  const keyOf = chunks.every(chunk => chunk.charStart !== null)
    ? (chunk: P) => chunk.charStart ?? 0
    : (chunk: P) => chunk.orderIndex ?? Number.MAX_SAFE_INTEGER
  return [...chunks].sort((a, b) => keyOf(a) - keyOf(b) || (a.orderIndex ?? 0) - (b.orderIndex ?? 0))
}

/** Whether the offsets of a chunk span its text: some splitters count characters or bytes, or change the text. */
function hasExactOffsets<P extends Part>(part: P): part is P & { charStart: number; charEnd: number } {
  return part.charStart !== null && part.charEnd !== null && part.charEnd - part.charStart === part.text.length
}

/**
 * How far before the end of `text` the text `next` begins, 0 when it repeats nothing.
 * @param told by the offsets; null when they say nothing
 */
function sharedLength(text: string, next: string, told: number | null): number {
  const isTrue = told !== null && told <= text.length && text.startsWith(next.slice(0, told), text.length - told)
  if (isTrue) return told
  return repeatedLength(text, next)
}
