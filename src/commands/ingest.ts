import { type Command, InvalidArgumentError, Option } from 'commander'
import { WRITER_KINDS, type WriterKind } from '../contexts/context.ts'
import { badRequest, StowageError, withPlace } from '../core/errors.ts'
import { CHUNKINGS } from '../core/types.ts'
import { CHUNK_DEFAULTS, defaultTargetTokens } from '../ingest/chunking/options.ts'
import { DOCUMENT_EXTENSIONS } from '../ingest/documents/formats.ts'
import type { IngestDependencies, IngestOptions } from '../ingest/ingest.ts'
import { DEFAULT_BATCH_SIZE } from '../ingest/target.ts'
import { withFieldNames } from '../projects/encoder-variables.ts'
import { ingestDefaults } from '../projects/ingest-defaults.ts'
import type { FindProject, Project } from '../projects/project.ts'
import { counted } from '../text/printable.ts'
import { type CommandSummary, summaryText } from './ingest/summary.ts'
import {
  ADDRESS_KEY,
  ADDRESS_URL,
  type Address,
  addressOf,
  listOption,
  nonEmpty,
  numberOption,
  urlOption,
} from './option-values.ts'
import { createProgress } from './progress.ts'
import { projectNamed } from './project.ts'

type ContextChoice = WriterKind | 'off'

export interface IngestEnvironment extends IngestDependencies {
  /** The target in words, for messages: its address, or the folder of the embedded engine. */
  place: string
  /** Why there is no embedder; null when there is one. */
  unavailable: string | null
  /** True when the settings or the project ask for an embedder. Without them, that of the package is used where it can be. */
  isEmbedderSet: boolean
  /** False for an embedded engine in memory, which loses its data when the command ends. */
  durable: boolean
  close(): Promise<void>
}

export interface IngestCommandDependencies {
  /** Called after the command line and the source are checked. `url`, `apiKey` and the encoder of the project override the configuration. */
  open(
    where: Address,
    project: Project | null,
    wanted: { context: ContextChoice | undefined; collection: string; tenant: string | null },
  ): Promise<IngestEnvironment>
  findProject: FindProject
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface IngestFlags extends Omit<IngestOptions, 'collection'>, Address {
  code?: boolean
  collection?: string
  project?: string
  context?: ContextChoice
  json?: boolean
}

/** The default sizes in words: `200, or 384 for parent-child`. */
const TARGETS = `${defaultTargetTokens()}, or ${defaultTargetTokens('parent-child')} for parent-child`

const EXAMPLES = `
Examples:
  $ stowage ingest ./docs --collection docs
  $ stowage ingest ./docs --collection docs --source handbook --prune --dry-run
  $ stowage ingest ./handbook --project handbook
  $ stowage ingest ./docs --collection docs --context rules
  $ stowage ingest ./src --collection code --code
  $ stowage ingest corpus.jsonl --collection docs --url http://127.0.0.1:6333 --dry-run`

/** Adds `stowage ingest PATH --collection C`. Running it again writes only what has changed. */
export function addIngestCommand(program: Command, dependencies: IngestCommandDependencies): void {
  const { overlap } = CHUNK_DEFAULTS
  const share = numberOption(0, 0.5, { whole: false })
  program
    .command('ingest')
    .description('write documents to a collection; unchanged chunks are skipped')
    .argument('<path>', `a ${DOCUMENT_EXTENSIONS} file, a folder of them, or a corpus.jsonl (golden or BEIR format)`)
    .option('--collection <name>', 'collection to write to; created if it does not exist', nonEmpty)
    .option(
      '--project <name>',
      'project whose collection, chunk size and encoder are used; other options win',
      nonEmpty,
    )
    .option(
      '--source <name>',
      'name of the source; ids of documents begin with it (default: ids are paths below PATH)',
      sourceName,
    )
    .option('--code', 'read the source code of a folder, too (.ts, .py, .go, .java, .c and others)')
    .option('--prune', 'delete the documents of this --source that PATH no longer holds; try --dry-run first')
    .option('--allow-empty', 'with --prune: also when PATH holds no document that can be read')
    .option('--url <url>', ADDRESS_URL, urlOption)
    .option('--api-key <key>', ADDRESS_KEY)
    .addOption(
      new Option('--chunking <way>', 'cut along headings, or into chunks with larger parents beside')
        .choices(CHUNKINGS)
        .default('sections'),
    )
    .option('--chunk-tokens <tokens>', `target size of the chunks; default: ${TARGETS}`, numberOption(16, 8_000))
    .option('--overlap <share>', 'share of this size that a chunk repeats from the previous chunk', share, overlap)
    .addOption(
      new Option(
        '--context <writer>',
        'write the context of each chunk, and encode it with the chunk (docs/contexts.md); off takes contexts away; default: chunks keep what they have',
      ).choices([...WRITER_KINDS, 'off']),
    )
    .option(
      '--batch-size <chunks>',
      'chunks that are embedded and written at a time',
      numberOption(1, 10_000),
      DEFAULT_BATCH_SIZE,
    )
    .option('--tenant <tenant>', 'tenant of the documents', nonEmpty)
    .option('--space <id>', 'space of the documents, for your own filters', nonEmpty)
    .option(
      '--acl <names>',
      'who may read the documents, for your own filters: names, separated by commas',
      listOption(nonEmpty),
    )
    .option('--lang <code>', 'language of the documents', nonEmpty)
    .option('--allow-mixed-embedders', 'write even if the collection holds vectors of another embedder')
    .option('--dry-run', 'count the changes and write nothing')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, flags: IngestFlags, command: Command) => {
      const name = flags.project
      const project = name === undefined ? null : await projectNamed(name, dependencies.findProject)
      const options = optionsOf(flags, project, command)
      await runIngest(path, project, options, dependencies).catch((error: unknown) => {
        // Only our own errors can name variables. The message of an aborted request cannot be changed.
        if (error instanceof StowageError) error.message = inWordsOf(project, error.message)
        throw error
      })
    })
}

/** A message that names the fields of the project, where there is one, instead of the variables that they stand for. */
function inWordsOf(project: Project | null, message: string): string {
  return project === null ? message : withFieldNames(message, project)
}

/** A name like `handbook` or `team/handbook`. */
function sourceName(value: string): string {
  const name = nonEmpty(value).replace(/^\/+|\/+$/g, '')
  if (name === '' || name.split('/').some(part => part === '' || part === '.' || part === '..'))
    throw new InvalidArgumentError(`Give a name like handbook or team/handbook, not ${JSON.stringify(value)}.`)
  return name
}

type CommandOptions = Omit<IngestFlags, 'collection' | 'project'> & IngestOptions

/** The options of the command line, with those of the project where the command line has none. */
function optionsOf(
  { project: _name, ...flags }: IngestFlags,
  project: Project | null,
  command: Command,
): CommandOptions {
  const defaults = Object.entries(project === null ? {} : ingestDefaults(project))
  const unset = defaults.filter(([name]) => command.getOptionValueSource(name) !== 'cli')
  const { collection, ...options } = { ...flags, ...Object.fromEntries(unset) } as Omit<IngestFlags, 'project'>
  if (collection === undefined) command.error('error: name a --collection or a --project')
  return { ...options, collection }
}

async function runIngest(
  path: string,
  project: Project | null,
  flags: CommandOptions,
  dependencies: IngestCommandDependencies,
): Promise<void> {
  const { url: _url, apiKey: _apiKey, code, json, context, ...options } = flags
  const { dryRun = false, prune = false, source: name } = options
  if (prune && name === undefined) throw badRequest('--prune needs --source: only documents of this source are deleted')
  const startedAt = performance.now()
  // Loaded here: no other command needs the readers of documents.
  const [{ openDocuments }, { ingest }] = await Promise.all([
    import('../ingest/read-documents.ts'),
    import('../ingest/ingest.ts'),
  ])
  const source = await openDocuments(path, { source: name, code, allowEmpty: prune && options.allowEmpty })
  const { collection, tenant = null } = options
  const environment = await dependencies.open(addressOf(flags), project, { context, collection, tenant })
  let chunksWritten = 0
  const sayWhatStays = (): void => {
    if (chunksWritten > 0 && !dryRun) dependencies.progress.write(`${stays(chunksWritten)}\n`)
  }
  const progress = createProgress(dependencies.progress, { onInterrupt: sayWhatStays })
  try {
    if (!environment.durable && !dryRun) {
      const message = 'no place to store the documents: give --url, or set QDRANT_URL or EMBEDDED_PATH'
      throw badRequest(message)
    }
    await refuseLastingKeywords(environment, collection)
    const warning = environment.embedder === null ? keywordsOnly(environment, project) : null
    if (warning !== null) dependencies.progress.write(`WARNING: ${warning}\n`)
    const ingested = await ingest(
      source.documents,
      environment,
      { ...options, chunkTokens: options.chunkTokens ?? defaultTargetTokens(options.chunking), folder: source.folder },
      ({ documents, written, bytes }) => {
        chunksWritten = written
        const effort = { done: bytes.written, total: source.bytes - bytes.unchanged }
        const chunks = `, ${counted(written, 'chunk')} ${dryRun ? 'to write' : 'written'}`
        progress.show('documents', documents, source.total, chunks, effort)
      },
    )
    progress.stop()
    const summary: CommandSummary = {
      ...ingested,
      place: environment.place,
      seconds: Math.round((performance.now() - startedAt) / 10) / 100,
      skipped: { ...source.skipped, ...ingested.skipped },
      warnings: [...(warning === null ? [] : [warning]), ...ingested.warnings],
    }
    dependencies.out.write(json ? `${JSON.stringify(summary)}\n` : summaryText(summary, dryRun))
  } catch (error) {
    progress.stop()
    sayWhatStays()
    throw withPlace(error, environment.place)
  } finally {
    progress.stop()
    await environment.close()
  }
}

/** True because a document has its mark only when all of its chunks are written. */
function stays(written: number): string {
  return `stopped; the ${counted(written, 'chunk that is written stays', 'chunks that are written stay')}, and the next run goes on from there`
}

/**
 * A collection that is created without an embedder can never get vectors, so an embedder that was asked for must be there. A collection
 * that exists keeps the vectors that it has.
 */
async function refuseLastingKeywords(environment: IngestEnvironment, collection: string): Promise<void> {
  const { embedder, isEmbedderSet, unavailable, target } = environment
  if (embedder !== null || !isEmbedderSet) return
  const existing = await target.open(collection, { denseSize: null, create: false })
  if (existing !== null) return
  throw new StowageError(
    'unprocessable',
    `the embedder cannot be used (${unavailable ?? 'unknown reason'}), and a collection that is created without one can never get vectors. ` +
      `Nothing was written. Make the embedder available and run this again. If searches by keywords are enough: set EMBEDDER=none.`,
  )
}

function keywordsOnly({ unavailable }: IngestEnvironment, project: Project | null): string {
  return `NO EMBEDDER (${inWordsOf(project, unavailable ?? 'unknown reason')}): only keyword vectors are written, and searches find words, not meanings. \`stowage doctor\` says how to get a model.`
}
