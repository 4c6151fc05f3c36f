import { chunkHash, isOnlyPayload } from '../../contexts/context-stamp.ts'
import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import type { Chunk, JsonObject } from '../../core/types.ts'
import type { CollectionLayout, DenseField } from '../../ingest/target.ts'
import { isParent } from '../../qdrant/payload/read-chunk.ts'
import { cosine } from '../../text/similarity.ts'
import { hasContext, hasText, isPlain } from '../documents/survey.ts'
import type { LiveCollection, LivePoint } from '../live-collection.ts'
import type { FormerVectors } from '../state/former-vectors.ts'
import {
  contextualText,
  type Encoding,
  KEYWORD_ENCODERS,
  type KeywordsOf,
  type PlainInput,
  plainText,
} from './encode.ts'

/** Vectors of the same text by the same model differ by rounding only; those of other models are far away. */
const SAME_VECTOR = 0.99
/** Points whose vectors are compared. */
const SAMPLE = 8
const PLAIN_INPUTS: readonly PlainInput[] = ['titled', 'text']

/** The vectors that are known of the time before a request. */
type KnownFormer = Pick<FormerVectors, 'find'>

export interface Recognised {
  encoding: Encoding
  warnings: string[]
}

/**
 * Finds out how the vectors of a collection were made, by encoding a few of its texts and comparing: which dense vector is of this
 * embedder, whether the sparse one holds BM25 terms, and whether titles and paths were encoded too. Vectors of other models are left alone.
 * @param former vectors of points that a request may have changed in part
 * @throws StowageError `unprocessable` when the collection has dense vectors and none of them is of this embedder
 */
export async function recogniseEncoding(
  collection: LiveCollection,
  embedder: Embedder | null,
  former: KnownFormer,
  unavailable: string | null = null,
): Promise<Recognised> {
  const layout = await collection.layout()
  const points = (await samplePoints(collection, layout)).map(point => asBefore(point, former))
  const dense = await recogniseDense(collection.name, layout, points, embedder, unavailable)
  const sparse = recogniseSparse(layout, points)
  const plain = dense?.plain ?? sparse?.plain ?? usualInput(points)
  const warnings = layout.sparse
    .filter(({ name }) => name !== sparse?.name)
    .map(
      ({ name }) =>
        `the sparse vector ${shown(name)} does not hold BM25 terms as stowage writes them: it stays as it is`,
    )
  if (dense === null && sparse === null && points.length > 0)
    throw refusal(collection.name, 'has no vector that stowage can encode')
  const encoding = {
    dense: dense?.name ?? null,
    sparse: sparse?.name ?? null,
    plain,
    keywords: sparse?.keywords ?? 'stowage',
  }
  return { encoding, warnings }
}

/**
 * Chunks with a text; parents have no vectors. Those without a context come first, because they also show how texts were encoded without one.
 * Where others have changed a title or a text since, or an earlier version has read it otherwise, the vectors see the former one.
 */
async function samplePoints(collection: LiveCollection, { dense, sparse }: CollectionLayout): Promise<LivePoint[]> {
  const hasNoContext = { is_empty: { key: 'context_version' } }
  const found: LivePoint[] = []
  const filters: JsonObject[] = [{ must: [hasNoContext] }, { must_not: [hasNoContext] }]
  for (const filter of filters) {
    for await (const page of collection.pages(filter)) {
      found.push(...page.filter(point => hasText(point) && !isParent(point.payload)))
      if (found.length >= SAMPLE) break
    }
    if (found.length > 0) break
  }
  const names = [...dense, ...sparse].map(({ name }) => name)
  const present = found.filter(point => isPlain(point) || (hasContext(point) && !isInPayloadAlone(point)))
  const ids = (present.length > 0 ? present : found).slice(0, SAMPLE).map(({ id }) => id)
  return ids.length === 0 ? [] : collection.read(ids, names)
}

/**
 * A point whose vectors do not see the context of its payload, as it was without one: a request that ended in the middle can have replaced
 * the vectors already, and they may see an earlier context.
 */
function asBefore(point: LivePoint, former: KnownFormer): LivePoint {
  const known = isPlain(point) || isInPayloadAlone(point) ? former.find(point.id, chunkHash(point.chunk)) : null
  if (known === null) return point
  const { context_version: _stamp, ...payload } = point.payload
  return { ...point, payload, vectors: new Map([...point.vectors, ...known]) }
}

const isInPayloadAlone = ({ payload }: LivePoint): boolean => isOnlyPayload(String(payload.context_version))

async function recogniseDense(
  name: string,
  layout: CollectionLayout,
  points: readonly LivePoint[],
  embedder: Embedder | null,
  unavailable: string | null,
): Promise<{ name: string; plain: PlainInput | null } | null> {
  if (layout.dense.length === 0) return null
  if (embedder === null)
    throw refusal(name, `has dense vectors, and there is no embedder to encode them anew (${unavailable ?? 'none'})`)
  const fitting = layout.dense.filter(({ size }) => size === embedder.dimensions)
  const sizes = layout.dense.map(({ size }) => size).join(', ')
  if (fitting.length === 0)
    throw refusal(
      name,
      `has dense vectors of ${sizes} dimensions; those of the embedder ${embedder.version} have ${embedder.dimensions}`,
    )
  if (points.length === 0) return { name: fitting[0]?.name ?? '', plain: null }
  const compared = await compareInputs(points, fitting, embedder)
  const best = compared.reduce((a, b) => (b.similarity > a.similarity ? b : a))
  if (best.similarity >= SAME_VECTOR) return { name: best.field.name, plain: best.plain }
  throw refusal(
    name,
    `has dense vectors of another model: the vectors of its texts by ${embedder.version} have a cosine of ${best.similarity.toFixed(3)} ` +
      `with the stored ones, and ${SAME_VECTOR} is needed. Set EMBEDDER and EMBEDDING_MODEL to the model that filled the collection, ` +
      'or store contexts without encoding them with --only-payload',
  )
}

/** The smallest but one similarity of the samples, for each dense vector and each way of encoding. */
async function compareInputs(points: readonly LivePoint[], fields: readonly DenseField[], embedder: Embedder) {
  const compared: { field: DenseField; plain: PlainInput | null; similarity: number }[] = []
  for (const plain of PLAIN_INPUTS) {
    const texts = points.map(point => sampleTexts(point, plain))
    const encoded = [...(await embedder.embedPassages(texts.flat()))]
    const vectors = texts.map(({ length }) => encoded.splice(0, length))
    for (const field of fields) {
      const similarities = points.flatMap((point, index) => {
        const stored = readDense(point.vectors.get(field.name))
        const own = vectors[index]?.filter(({ length }) => length === stored?.length) ?? []
        return stored === null || own.length === 0
          ? []
          : Math.max(...own.map(vector => similarityOf(vector, stored, field)))
      })
      // One sample may have been changed by hand.
      const sorted = similarities.sort((a, b) => a - b)
      const similarity = sorted[sorted.length > 2 ? 1 : 0] ?? -1
      compared.push({ field, plain: points.some(isPlain) ? plain : null, similarity })
    }
  }
  return compared
}

/** The texts that the vectors of a point can be of: earlier versions of stowage did not encode what the path of a document says. */
function sampleTexts(point: LivePoint, plain: PlainInput): string[] {
  const { context } = point.payload
  const textOf = (chunk: Chunk) =>
    isPlain(point) ? plainText(chunk, plain) : contextualText(chunk, typeof context === 'string' ? context : '')
  const { pageName: _, docName: __, ...withoutNames } = point.chunk
  return [...new Set([textOf(point.chunk), textOf(withoutNames)])]
}

/** The embedder gives unit vectors: under other distances than cosine, longer ones were made in another way. */
function similarityOf(own: Float32Array, stored: Float32Array, { distance }: DenseField): number {
  const isUnit = Math.abs(Math.hypot(...stored) - 1) < 0.01
  return distance === 'Cosine' || isUnit ? cosine(own, stored) : -1
}

function recogniseSparse(
  { sparse }: CollectionLayout,
  points: readonly LivePoint[],
): { name: string; plain: PlainInput | null; keywords: KeywordsOf } | null {
  const fields = sparse.filter(({ idf }) => idf)
  if (points.length === 0) {
    const field = fields.find(({ name }) => name === 'sparse') ?? fields[0]
    return field === undefined ? null : { name: field.name, plain: null, keywords: 'stowage' }
  }
  // One sample may have been changed by hand.
  const needed = points.length > 2 ? points.length - 1 : points.length
  const isMadeBy = ({ name, plain, keywords }: SparseMaking) =>
    points.filter(point => {
      const stored = point.vectors.get(name)
      return sampleTexts(point, plain).some(text => hasTerms(stored, text, keywords))
    }).length >= needed
  const found = makingsOf(fields).find(isMadeBy)
  return found === undefined ? null : { ...found, plain: points.some(isPlain) ? found.plain : null }
}

/** A way in which a sparse vector can be made. */
interface SparseMaking {
  name: string
  plain: PlainInput
  keywords: KeywordsOf
}

function makingsOf(fields: CollectionLayout['sparse']): SparseMaking[] {
  return PLAIN_INPUTS.flatMap(plain =>
    fields.flatMap(({ name }) => (['stowage', 'qdrant'] as const).map(keywords => ({ name, plain, keywords }))),
  )
}

/** Whether a sparse vector has the same terms with the same weights. */
function hasTerms(raw: string | undefined, text: string, keywords: KeywordsOf): boolean {
  const stored = raw === undefined ? null : (JSON.parse(raw) as { indices?: number[]; values?: number[] } | null)
  const own = KEYWORD_ENCODERS[keywords](text)
  if (!stored?.indices || !stored.values || stored.indices.length !== own.indices.length) return false
  const weights = new Map(stored.indices.map((index, at) => [index, stored.values?.[at] ?? 0]))
  return own.indices.every((index, at) => Math.abs((weights.get(index) ?? -1) - (own.values[at] ?? 0)) < 1e-3)
}

function readDense(raw: string | undefined): Float32Array | null {
  const values: unknown = raw === undefined ? null : JSON.parse(raw)
  return Array.isArray(values) && typeof values[0] === 'number' ? Float32Array.from(values as number[]) : null
}

/** `stowage ingest` encodes titles and paths, others usually do not. */
function usualInput(points: readonly LivePoint[]): PlainInput {
  return points.some(({ payload }) => payload.content_hash === undefined) ? 'text' : 'titled'
}

const shown = (name: string): string => (name === '' ? 'without a name' : name)

function refusal(collection: string, what: string): StowageError {
  return new StowageError('unprocessable', `collection ${collection} ${what}`)
}
