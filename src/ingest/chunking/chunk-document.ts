import type { Chunking } from '../../core/types.ts'
import { chunkMarkdown, type DocumentChunk } from './chunk-markdown.ts'
import { type ChunkOptions, type DocumentText, defaultTargetTokens } from './options.ts'
import { chunkWithParents, type DocumentParent } from './parents.ts'

interface DocumentOptions extends Pick<ChunkOptions, 'overlap' | 'count'> {
  /** Default: `sections`. */
  chunking?: Chunking | undefined
  /** Default: that of the chunking. */
  chunkTokens?: number | undefined
}

/** Cuts a document as the chunking says. Only `parent-child` gives parents. */
export function chunkDocument(
  document: DocumentText,
  { chunking = 'sections', chunkTokens = defaultTargetTokens(chunking), overlap, count }: DocumentOptions,
): { chunks: DocumentChunk[]; parents: DocumentParent[] } {
  const options = { targetTokens: chunkTokens, overlap, count }
  if (chunking === 'parent-child') return chunkWithParents(document, options)
  return { chunks: chunkMarkdown(document, options), parents: [] }
}
