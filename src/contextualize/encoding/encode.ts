import { encodedText } from '../../contexts/encoded-text.ts'
import type { Embedder } from '../../core/ports.ts'
import type { Chunk, SparseVector } from '../../core/types.ts'
import { printJson } from '../../qdrant/json.ts'
import { encodeBm25Document } from '../../text/qdrant-bm25.ts'
import { encodeKeywords } from '../../text/terms/keyword-vectors.ts'
import type { LivePoint } from '../live-collection.ts'

/** What the vectors of a chunk without a context were made of: its text alone, or the names of its document and section before it. */
export type PlainInput = 'text' | 'titled'

/** Whose keywords the sparse vector has: those of stowage, or Qdrant's English ones, as clients and earlier versions of stowage write them in any language. */
export type KeywordsOf = 'stowage' | 'qdrant'
export const KEYWORD_ENCODERS: Readonly<Record<KeywordsOf, (text: string) => SparseVector>> = {
  stowage: encodeKeywords,
  qdrant: encodeBm25Document,
}

/** How the vectors of a collection are made. */
export interface Encoding {
  /** Name of the dense vector of the embedder; null when no vector of it is replaced. */
  dense: string | null
  /** Name of the sparse vector with BM25 terms; null when none is replaced. */
  sparse: string | null
  plain: PlainInput
  keywords: KeywordsOf
}

/** Texts that are encoded without a turn of the event loop. */
const TEXTS_BETWEEN_TURNS = 8

/** The names of the vectors that are replaced. */
export function replacedVectors({ dense, sparse }: Encoding): string[] {
  return [dense, sparse].filter(name => name !== null)
}

/** The text that the vectors of a chunk without a context are made of. */
export function plainText(chunk: Chunk, plain: PlainInput): string {
  return plain === 'text' ? chunk.text : contextualText(chunk, '')
}

/** The text that the vectors of a chunk with a context are made of. */
export function contextualText({ docTitle, pageName, docName, sectionPath, text }: Chunk, context: string): string {
  return encodedText({ docTitle, pageName, docName, sectionPath, text, context })
}

/** Encodes texts. @returns for each text the JSON of its vectors, by the name of the vector */
export async function encodeTexts(
  texts: string[],
  { dense, sparse, keywords }: Encoding,
  embedder: Embedder | null,
  signal?: AbortSignal,
): Promise<Map<string, string>[]> {
  const embedded = dense === null || texts.length === 0 ? [] : ((await embedder?.embedPassages(texts, signal)) ?? [])
  const encoded: Map<string, string>[] = []
  for (const [index, text] of texts.entries()) {
    const vectors = new Map<string, string>()
    const vector = embedded[index]
    if (dense !== null && vector) vectors.set(dense, printJson(Array.from(vector)))
    if (sparse !== null) vectors.set(sparse, printJson(KEYWORD_ENCODERS[keywords](text)))
    encoded.push(vectors)
    // A server encodes beside its answers.
    if (index % TEXTS_BETWEEN_TURNS === 0) await new Promise(resolve => setImmediate(resolve))
  }
  return encoded
}

/** The vectors of those names that a point has: it keeps the kinds of vectors that it was given. */
export function onlyStored(
  vectors: ReadonlyMap<string, string> = new Map(),
  { vectors: stored }: Pick<LivePoint, 'vectors'>,
): ReadonlyMap<string, string> {
  return new Map([...vectors].filter(([name]) => stored.has(name)))
}
