import type { Chunking } from '../../core/types.ts'

export interface DocumentText {
  text: string
  /** Of source code, the first name in the section paths of its chunks. */
  title?: string | undefined
  /** Whether the text is no Markdown by its kind. */
  isPlain?: boolean | undefined
  /** Whether the text is source code or settings by its kind. Other source code is recognised by its lines. */
  isCode?: boolean | undefined
}

export interface ChunkOptions {
  /** Target size in tokens of `count`. */
  targetTokens?: number | undefined
  /** Share of the target that a chunk repeats from the previous chunk of its section, in whole sentences. */
  overlap?: number | undefined
  /** Most targets in a chunk, unless one whole block is longer. Default: 1.4. */
  mostTargets?: number
  /** Whether a paragraph that defines terms stays whole, as a list does. */
  wholeDefinitions?: boolean
  count: (text: string) => number
}

export const CHUNK_DEFAULTS = { targetTokens: 200, overlap: 0.12 }

/** Target sizes in tokens. Children are larger than chunks by sections: they join small subsections. */
const TARGET_TOKENS: Readonly<Record<Chunking, number>> = {
  sections: CHUNK_DEFAULTS.targetTokens,
  'parent-child': 384,
}

/** The target size of chunks where none is asked for. */
export function defaultTargetTokens(chunking: Chunking = 'sections'): number {
  return TARGET_TOKENS[chunking]
}
