import type { Project } from './project.ts'

/** What `stowage ingest` takes from a project, by the names of its options. Options of the command line win. */
export interface IngestDefaults {
  collection: string
  chunkTokens?: number
  overlap?: number
  context?: 'rules' | 'openai' | 'anthropic' | 'off'
}

export function ingestDefaults({ collection, chunking: { tokens, overlap } = {}, context }: Project): IngestDefaults {
  return {
    collection,
    ...(tokens === undefined ? {} : { chunkTokens: tokens }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(context === undefined ? {} : { context: context.writer }),
  }
}
