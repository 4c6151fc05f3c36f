import type { Project } from './project.ts'

/** What `stowage ingest` takes from a project, by the names of its options. Options of the command line win. */
export function ingestDefaults({ collection, chunking: { strategy, tokens, overlap } = {}, context }: Project) {
  return {
    collection,
    ...(strategy === undefined ? {} : { chunking: strategy }),
    ...(tokens === undefined ? {} : { chunkTokens: tokens }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(context === undefined ? {} : { context: context.writer }),
  }
}
