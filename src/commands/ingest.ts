import cliProgress from 'cli-progress'
import { type Command, InvalidArgumentError } from 'commander'
import { StowageError } from '../core/errors.ts'
import { type IngestDependencies, type IngestSummary, ingest, type OnIngestProgress } from '../ingest/ingest.ts'
import { openDocuments } from '../ingest/read-documents.ts'
import { numberOption } from './number-option.ts'

/** Where an ingest goes, opened. */
export interface IngestWorld extends IngestDependencies {
  /** What is written to, for people. */
  url: string
  /** False for an embedded engine in memory: what is written there is gone when the command ends. */
  durable: boolean
  close(): Promise<void>
}

export interface IngestCommandDependencies {
  /** Called once the command line and the source are known to be good; a given url and key go before the configured ones. */
  open(where: { url?: string; apiKey?: string }): Promise<IngestWorld>
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface IngestFlags {
  collection: string
  url?: string
  apiKey?: string
  chunkTokens: number
  overlap: number
  batchSize: number
  tenant?: string
  space?: string
  acl?: string[]
  lang?: string
  allowMixedEmbedders?: boolean
  dryRun?: boolean
  json?: boolean
}

/** Adds `stowage ingest PATH --collection C`: documents into a collection, as often as wanted. */
export function addIngestCommand(program: Command, dependencies: IngestCommandDependencies): void {
  program
    .command('ingest')
    .description('bring documents into a collection; what is there already is left alone')
    .argument('<path>', 'a markdown or text file, a folder of them, or a corpus.jsonl (golden or BEIR format)')
    .requiredOption('--collection <name>', 'collection to write to; created if absent', nonEmpty)
    .option('--url <url>', 'Qdrant or a running stowage (QDRANT_URL; without either, the folder EMBEDDED_PATH)')
    .option('--api-key <key>', 'its key (QDRANT_API_KEY)')
    .option('--chunk-tokens <tokens>', 'size of the chunks aimed at', numberOption(16, 8_000), 200)
    .option(
      '--overlap <share>',
      'share of it that a chunk repeats of the one before',
      numberOption(0, 0.5, { whole: false }),
      0.12,
    )
    .option('--batch-size <chunks>', 'chunks embedded and written at a time', numberOption(1, 10_000), 64)
    .option('--tenant <tenant>', 'tenant that the documents belong to', nonEmpty)
    .option('--space <id>', 'space that they belong to', nonEmpty)
    .option('--acl <names>', 'who may read them, between commas', names)
    .option('--lang <code>', 'their language', nonEmpty)
    .option('--allow-mixed-embedders', 'write although the collection holds vectors of another embedder')
    .option('--dry-run', 'tell what would be written and write nothing')
    .option('--json', 'print the summary as JSON')
    .action((path: string, flags: IngestFlags) => runIngest(path, flags, dependencies))
}

async function runIngest(path: string, flags: IngestFlags, dependencies: IngestCommandDependencies): Promise<void> {
  const { url, apiKey, json, ...options } = flags
  const source = await openDocuments(path)
  const world = await dependencies.open({ ...(url ? { url } : {}), ...(apiKey ? { apiKey } : {}) })
  const progress = showProgress(dependencies.progress, source.total, flags.dryRun ? 'to write' : 'written')
  try {
    if (!world.durable && !flags.dryRun) {
      throw new StowageError(
        'bad_request',
        'nowhere to keep the documents: give --url, or set QDRANT_URL or EMBEDDED_PATH',
      )
    }
    const summary = await ingest(source.documents, world, options, progress.show)
    progress.stop()
    dependencies.out.write(
      json ? `${JSON.stringify(summary)}\n` : summaryText(summary, world.url, flags.dryRun === true),
    )
  } catch (error) {
    if (!(error instanceof StowageError) || !error.code.startsWith('upstream_')) throw error
    throw new StowageError(error.code, `${error.message} [${world.url}]`, { cause: error })
  } finally {
    progress.stop()
    await world.close()
  }
}

const LINE_EVERY_MS = 5_000

/** A bar on a terminal; elsewhere a line every few seconds. */
function showProgress(
  stream: NodeJS.WriteStream,
  total: number,
  done: string,
): { show: OnIngestProgress; stop(): void } {
  if (!stream.isTTY) {
    let due = performance.now() + LINE_EVERY_MS
    return {
      show({ documents, written }) {
        if (performance.now() < due) return
        due = performance.now() + LINE_EVERY_MS
        stream.write(`${documents}/${total} documents, ${written} chunks ${done}\n`)
      },
      stop() {},
    }
  }
  const format = `{bar} {value}/{total} documents, {written} chunks ${done}, ETA {eta_formatted}`
  const bar = new cliProgress.SingleBar({ stream, format, clearOnComplete: true, hideCursor: true })
  bar.start(total, 0, { written: 0 })
  return { show: ({ documents, written }) => bar.update(documents, { written }), stop: () => bar.stop() }
}

function summaryText(summary: IngestSummary, url: string, isDryRun: boolean): string {
  const { collection, created, documents, unchanged, chunks, tokens, written, deleted, warnings } = summary
  const number = (value: number): string => value.toLocaleString('en')
  const lines = [
    `${isDryRun ? 'Dry run: nothing was written. ' : ''}${collection} at ${url}${created ? ' (created)' : ''}`,
    `  ${number(documents)} documents, ${number(unchanged)} of them unchanged`,
    `  ${number(chunks)} chunks of ${number(tokens)} tokens`,
    `  ${number(written)} chunks ${isDryRun ? 'to write' : 'written'}, ${number(deleted)} ${isDryRun ? 'to delete' : 'deleted'}`,
    ...warnings.map(warning => `  warning: ${warning}`),
  ]
  return `${lines.join('\n')}\n`
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('must not be empty')
  return text
}

function names(text: string): string[] {
  const list = text.split(',').map(name => name.trim())
  return list.map(nonEmpty)
}
