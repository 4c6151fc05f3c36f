import type { Command } from 'commander'
import { nonEmpty, urlOption } from '../option-values.ts'

export interface LiveOptions {
  url?: string
  apiKey?: string
  collection?: string
}

/** Adds the options that name a collection on a server. @param meaning what the command does with the collection */
export function addLiveOptions(command: Command, meaning: string): Command {
  return command
    .option('--collection <name>', meaning, nonEmpty)
    .option('--url <url>', 'address of its Qdrant (default: QDRANT_URL, else the embedded engine)', urlOption)
    .option('--api-key <key>', 'key for this address (default: QDRANT_API_KEY)')
}
