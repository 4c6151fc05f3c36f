import type { Chunking } from '../core/types.ts'
import type { Project } from './project.ts'

/** What `stowage ingest` takes from a project, by the names of its options. Options of the command line win. */
interface IngestDefaults {
  collection: string
  chunking?: Chunking
  chunkTokens?: number
  overlap?: number
  context?: 'rules' | 'openai' | 'anthropic' | 'off'
}

export function ingestDefaults({
  collection,
  chunking: { strategy, tokens, overlap } = {},
  context,
}: Project): IngestDefaults {
  return {
    collection,
    ...(strategy === undefined ? {} : { chunking: strategy }),
    ...(tokens === undefined ? {} : { chunkTokens: tokens }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(context === undefined ? {} : { context: context.writer }),
  }
}
