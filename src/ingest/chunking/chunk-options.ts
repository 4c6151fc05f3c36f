export interface ChunkOptions {
  /** Target size in tokens of `count`. */
  targetTokens?: number | undefined
  /** Share of the target that a chunk repeats from the previous chunk of its section, in whole sentences. */
  overlap?: number | undefined
  count: (text: string) => number
}

export const CHUNK_DEFAULTS = { targetTokens: 200, overlap: 0.12 }
