import type { Command } from 'commander'
import { StowageError } from '../core/errors.ts'
import { CHUNK_DEFAULTS } from '../ingest/chunking/chunk-markdown.ts'
import {
  DEFAULT_BATCH_SIZE,
  type IngestDependencies,
  type IngestOptions,
  type IngestSummary,
  ingest,
} from '../ingest/ingest.ts'
import { openDocuments } from '../ingest/read-documents.ts'
import { listOption, nonEmpty, numberOption } from './option-values.ts'
import { createProgress } from './progress.ts'

export interface IngestEnvironment extends IngestDependencies {
  /** Address of the target, for messages. */
  url: string
  /** False for an embedded engine in memory, which loses its data when the command ends. */
  durable: boolean
  close(): Promise<void>
}

export interface IngestCommandDependencies {
  /** Called after the command line and the source are checked. `url` and `apiKey` override the configuration. */
  open(where: { url?: string; apiKey?: string }): Promise<IngestEnvironment>
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface IngestFlags extends IngestOptions {
  url?: string
  apiKey?: string
  json?: boolean
}

const EXAMPLES = `
Examples:
  $ stowage ingest ./docs --collection docs
  $ stowage ingest corpus.jsonl --collection docs --url http://127.0.0.1:6333 --dry-run`

/** Adds `stowage ingest PATH --collection C`. Running it again writes only what has changed. */
export function addIngestCommand(program: Command, dependencies: IngestCommandDependencies): void {
  const { targetTokens, overlap } = CHUNK_DEFAULTS
  const share = numberOption(0, 0.5, { whole: false })
  program
    .command('ingest')
    .description('write documents to a collection; unchanged chunks are skipped')
    .argument('<path>', 'a markdown or text file, a folder of them, or a corpus.jsonl (golden or BEIR format)')
    .requiredOption('--collection <name>', 'collection to write to; created if it does not exist', nonEmpty)
    .option('--url <url>', 'address of Qdrant or stowage (default: QDRANT_URL, else the folder EMBEDDED_PATH)')
    .option('--api-key <key>', 'key for this address (default: QDRANT_API_KEY)')
    .option('--chunk-tokens <tokens>', 'target size of the chunks', numberOption(16, 8_000), targetTokens)
    .option('--overlap <share>', 'share of this size that a chunk repeats from the previous chunk', share, overlap)
    .option(
      '--batch-size <chunks>',
      'chunks that are embedded and written at a time',
      numberOption(1, 10_000),
      DEFAULT_BATCH_SIZE,
    )
    .option('--tenant <tenant>', 'tenant of the documents', nonEmpty)
    .option('--space <id>', 'space of the documents', nonEmpty)
    .option('--acl <names>', 'who may read the documents: names, separated by commas', listOption(nonEmpty))
    .option('--lang <code>', 'language of the documents', nonEmpty)
    .option('--allow-mixed-embedders', 'write even if the collection holds vectors of another embedder')
    .option('--dry-run', 'count the changes and write nothing')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLES)
    .action((path: string, flags: IngestFlags) => runIngest(path, flags, dependencies))
}

async function runIngest(path: string, flags: IngestFlags, dependencies: IngestCommandDependencies): Promise<void> {
  const { url, apiKey, json, ...options } = flags
  const { dryRun = false } = options
  const source = await openDocuments(path)
  const environment = await dependencies.open({ ...(url && { url }), ...(apiKey && { apiKey }) })
  const progress = createProgress(dependencies.progress)
  try {
    if (!environment.durable && !dryRun) {
      const message = 'no place to store the documents: give --url, or set QDRANT_URL or EMBEDDED_PATH'
      throw new StowageError('bad_request', message)
    }
    const summary = await ingest(source.documents, environment, options, ({ documents, written }) =>
      progress.show('documents', documents, source.total, `, ${written} chunks ${dryRun ? 'to write' : 'written'}`),
    )
    progress.stop()
    dependencies.out.write(json ? `${JSON.stringify(summary)}\n` : summaryText(summary, environment.url, dryRun))
  } catch (error) {
    if (!(error instanceof StowageError) || !error.code.startsWith('upstream_')) throw error
    throw new StowageError(error.code, `${error.message} [${environment.url}]`, { cause: error })
  } finally {
    progress.stop()
    await environment.close()
  }
}

function summaryText(summary: IngestSummary, url: string, dryRun: boolean): string {
  const { collection, created, documents, unchanged, chunks, tokens, written, deleted, warnings } = summary
  const number = (value: number): string => value.toLocaleString('en')
  const lines = [
    `${dryRun ? 'Dry run: nothing was written. ' : ''}${collection} at ${url}${created ? ' (created)' : ''}`,
    `  ${number(documents)} documents, ${number(unchanged)} of them unchanged`,
    `  ${number(chunks)} chunks, ${number(tokens)} tokens`,
    `  ${number(written)} chunks ${dryRun ? 'to write' : 'written'}, ${number(deleted)} ${dryRun ? 'to delete' : 'deleted'}`,
    ...warnings.map(warning => `  warning: ${warning}`),
  ]
  return `${lines.join('\n')}\n`
}
