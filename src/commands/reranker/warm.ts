import type { Command } from 'commander'
import { withPlace } from '../../core/errors.ts'
import { counted } from '../../text/printable.ts'
import { ADDRESS_KEY, ADDRESS_URL, type Address, addressOf, nonEmpty, urlOption } from '../option-values.ts'
import { createProgress } from '../progress.ts'

export interface WarmSummary {
  collection: string
  /** Passages, without those that were on the same page of points twice. */
  passages: number
  /** Those that an earlier run or a question had read. */
  known: number
  read: number
  /** Points without a text. */
  withoutText: number
}

interface WarmEnvironment {
  /** Where the collections are, in words. */
  place: string
  /** The folder that keeps what the reranker reads. */
  folder: string
  /** What makes the result worse than it could be. */
  warnings(): string[]
  warm(collection: string, onProgress: (points: { done: number; total: number }) => void): Promise<WarmSummary>
  close(): Promise<void>
}

export interface WarmCommandDependencies {
  open(where: Address): Promise<WarmEnvironment>
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface WarmFlags extends Address {
  collection: string[]
  json?: boolean
}

const EXAMPLES = `
Examples:
  $ RERANK_DISK_PATH=./passages stowage warm --collection docs
  $ RERANK_DISK_PATH=./passages stowage warm --collection docs --collection tickets --url http://qdrant:6333

Start \`stowage serve\` with the same RERANK_DISK_PATH.`

/** Adds `stowage warm --collection C`: the reranker reads all passages before somebody asks. */
export function addWarmCommand(program: Command, dependencies: WarmCommandDependencies): void {
  program
    .command('warm')
    .description(
      'let the included reranker read the passages of collections ahead of questions; running it again reads what is new',
    )
    .requiredOption('--collection <name>', 'collection to read; repeat it for more', collect)
    .option('--url <url>', ADDRESS_URL, urlOption)
    .option('--api-key <key>', ADDRESS_KEY)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((flags: WarmFlags) => runWarm(flags, dependencies))
}

const collect = (name: string, before: string[] = []) => [...before, nonEmpty(name)]

async function runWarm(flags: WarmFlags, { open, out, progress: stream }: WarmCommandDependencies): Promise<void> {
  const environment = await open(addressOf(flags))
  const progress = createProgress(stream)
  try {
    const summaries: WarmSummary[] = []
    for (const collection of new Set(flags.collection)) {
      const show = ({ done, total }: { done: number; total: number }) =>
        progress.show(`${collection} at ${environment.place}:`, done, Math.max(done, total), ' points')
      summaries.push(await environment.warm(collection, show))
    }
    progress.stop()
    const { folder } = environment
    const warnings = environment.warnings()
    if (flags.json) out.write(`${JSON.stringify({ folder, collections: summaries, warnings })}\n`)
    else {
      for (const summary of summaries) out.write(`${summaryText(summary)}\n`)
      out.write(`in ${folder}\n`)
      for (const warning of warnings) stream.write(`warning: ${warning}\n`)
    }
  } catch (error) {
    throw withPlace(error, environment.place)
  } finally {
    progress.stop()
    await environment.close()
  }
}

function summaryText({ collection, passages, known, read, withoutText }: WarmSummary): string {
  const empty = withoutText > 0 ? `, ${counted(withoutText, 'point')} without text` : ''
  return `${collection}: ${counted(passages, 'passage')}, ${read} read now, ${known} known before${empty}`
}
