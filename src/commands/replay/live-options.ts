import type { Command } from 'commander'
import { nonEmpty } from '../option-values.ts'

export interface LiveOptions {
  url?: string
  apiKey?: string
  collection?: string
}

/** Adds the options that name a collection on a server. */
export function addLiveOptions(command: Command): Command {
  return command
    .option('--collection <name>', 'ask this collection, also of server arms; a set needs no corpus then', nonEmpty)
    .option('--url <url>', 'address of Qdrant, for --collection (default: QDRANT_URL, else the embedded engine)')
    .option('--api-key <key>', 'key for this address (default: QDRANT_API_KEY)')
}
