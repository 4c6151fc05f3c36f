import { compareText } from '../../core/collections.ts'
import type { SearchRequest } from '../../core/ports.ts'
import type { PointId, RetrievedHit } from '../../core/types.ts'
import { isObject } from '../../qdrant/json.ts'
import { type PayloadMapping, readChunk } from '../../qdrant/payload/read-chunk.ts'
import type { ScoredPoint } from '../../qdrant/points.ts'
import { chooseDense, chooseSparse } from './layout.ts'
import type { Profile } from './profile.ts'

/** The vectors of a collection that a search uses; null if no vector fits. */
interface SearchFields {
  dense: { name: string; distance: string } | null
  sparse: string | null
}

/**
 * Chooses the vectors for a search. `missing` names the lists that the collection cannot serve, each with the reason. `isUnsearched` says that
 * there is no list, or that the query does not fit the dense vectors.
 */
export function chooseFields(
  { dense, sparse }: SearchRequest,
  { layout, embedderVersion }: Profile,
): { fields: SearchFields; missing: string[]; isUnsearched: boolean } {
  const keyword = chooseSparse(layout)
  const missing: string[] = []
  const fields: SearchFields = { dense: null, sparse: sparse && keyword }
  const sizes = layout.dense.map(({ size }) => size).join(', ')
  if (dense) {
    const [dimensions, version] = 'vector' in dense ? [dense.dimensions, dense.embedderVersion] : [dense.length, null]
    const fitting = chooseDense(layout, dimensions)
    if (fitting === null) {
      missing.push(
        `dense: the query has ${dimensions} dimensions, the collection ${sizes ? `has ${sizes}` : 'no dense vectors'}`,
      )
    } else if (version && embedderVersion && embedderVersion !== version) {
      missing.push(`dense: the collection was embedded by ${embedderVersion}, queries are by ${version}`)
    } else fields.dense = fitting
  } else if (sizes && keyword === null) {
    // With a keyword list, to search without an embedder is a choice. Without one, nothing can be found.
    missing.push(`dense: the query has no vector, the collection has vectors of ${sizes} dimensions`)
  }
  if (sparse && keyword === null) missing.push('keyword: the collection has no sparse vectors with modifier idf')
  const isUnfit = dense !== null && fields.dense === null && sizes !== ''
  const isUnsearched = missing.length > 0 && (isUnfit || (fields.dense === null && fields.sparse === null))
  return { fields, missing, isUnsearched }
}

/** Bodies of the searches; null if the list is not requested or the collection cannot serve it. */
export interface SearchBodies {
  dense: object | null
  keyword: object | null
  /** Search for the exact dense scores of the keyword hits, without payloads. */
  rescored: object | null
}

/** @param vector the query vector of the dense list; null leaves out the searches that need it */
export function searchBodies(
  request: SearchRequest,
  fields: SearchFields,
  vector: ArrayLike<number> | null,
): SearchBodies {
  const common = { limit: request.limit, ...(request.filter === null ? {} : { filter: request.filter }) }
  const denseField = fields.dense
  const dense = denseField && vector && { query: Array.from(vector), ...using(denseField.name) }
  const keyword = fields.sparse !== null && request.sparse && { query: request.sparse, using: fields.sparse }
  const withVector = request.withVectors && denseField ? [denseField.name] : false
  const withChunks = { ...common, with_payload: true, with_vector: withVector }
  return {
    dense: dense ? { ...dense, ...withChunks } : null,
    keyword: keyword ? { ...keyword, ...withChunks } : null,
    rescored:
      dense && keyword ? { prefetch: { ...keyword, ...common }, ...dense, ...common, with_payload: false } : null,
  }
}

function using(name: string): { using?: string } {
  return name === '' ? {} : { using: name }
}

/** Converts points to hits in the same order. Distances (smaller is better) are negated, because a larger score means a better hit. */
export function readHits(
  points: ScoredPoint[],
  collection: string,
  options: { mapping?: PayloadMapping | undefined; denseName?: string | undefined; isDistance?: boolean },
): RetrievedHit[] {
  return points.map(point => {
    const vector = readVector(point.vector, options.denseName ?? '')
    const hit = {
      chunk: readChunk(point, collection, options.mapping),
      score: options.isDistance ? -point.score : point.score,
    }
    return vector ? { ...hit, vector } : hit
  })
}

/** Adds the keyword hits with known dense scores to the dense list. Sorted by score, then id. */
export function extendDense(
  dense: RetrievedHit[],
  keyword: RetrievedHit[],
  scores: Map<PointId, number>,
): RetrievedHit[] {
  const present = new Set(dense.map(hit => hit.chunk.id))
  const added = keyword.flatMap(hit => {
    const score = scores.get(hit.chunk.id)
    return present.has(hit.chunk.id) || score === undefined ? [] : [{ ...hit, score }]
  })
  return [...dense, ...added].sort((a, b) => b.score - a.score || compareText(String(a.chunk.id), String(b.chunk.id)))
}

/** A point of a collection with one unnamed vector has the vector itself, any other point an object of vectors by name. */
function readVector(vector: unknown, name: string): Float32Array | null {
  const values = isObject(vector) && name in vector ? vector[name] : vector
  return Array.isArray(values) && typeof values[0] === 'number' ? Float32Array.from(values) : null
}
