import { type Command, Option } from 'commander'
import { WRITER_KINDS, type WriterKind } from '../contexts/context.ts'
import type { ContextualizeResult, OnContextProgress } from '../contextualize/contextualize.ts'
import type { Coverage } from '../contextualize/report/coverage.ts'
import type { Estimate } from '../contextualize/report/estimate.ts'
import type { SampledContext } from '../contextualize/report/sample.ts'
import type { RollbackResult } from '../contextualize/rollback.ts'
import type { Spending } from '../contextualize/state/spending.ts'
import { badRequest, withPlace } from '../core/errors.ts'
import { printJson } from '../qdrant/json.ts'
import {
  coverageText,
  estimateText,
  resultText,
  rollbackText,
  samplesText,
  shownDollars,
} from './contextualize/report.ts'
import {
  ADDRESS_KEY,
  ADDRESS_URL,
  type Address,
  nonEmpty,
  numberOption,
  pathOption,
  urlOption,
} from './option-values.ts'
import { createProgress, type Progress } from './progress.ts'

/** What the command line says of the collection and the writer. */
export interface ContextualizeTarget extends Address {
  collection: string
  /** Name of the collection that takes its place; absent: it is changed itself. */
  into?: string
  /** An alias that stands for `into` at the end. */
  alias?: string
  context: WriterKind
  /** Folder of the state; absent: one of its own below the working directory. */
  state?: string
  /** In US dollars, over all runs with the same state. */
  budgetUsd?: number
  onlyPayload: boolean
}

export interface ContextualizeEnvironment {
  /** The server in words. */
  place: string
  run(onProgress: OnContextProgress, signal: AbortSignal): Promise<ContextualizeResult & { warnings: string[] }>
  estimate(): Promise<Estimate & { model: string; endpoint: string | null }>
  sample(count: number, seed: number, signal: AbortSignal): Promise<SampledContext[]>
  rollBack(onProgress: (done: number) => void, signal: AbortSignal): Promise<RollbackResult & { warnings: string[] }>
  status(): Promise<Coverage & { spending: Spending }>
  /** US dollars; null when a model that was used has no price. */
  dollars(spending: Spending): number | null
  close(): Promise<void>
}

export interface ContextualizeCommandDependencies {
  open(target: ContextualizeTarget): Promise<ContextualizeEnvironment>
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface Flags extends Omit<ContextualizeTarget, 'onlyPayload'> {
  onlyPayload?: boolean
  dryRun?: boolean
  sample?: number
  seed: number
  rollback?: boolean
  status?: boolean
  json?: boolean
}

const EXAMPLES = `
Examples:
  $ stowage contextualize --collection docs --dry-run
  $ stowage contextualize --collection docs --context openai --sample 20
  $ stowage contextualize --collection docs --context openai --budget-usd 5
  $ stowage contextualize --collection docs --rollback`

const MODES = ['dryRun', 'sample', 'rollback', 'status'] as const

/** Adds `stowage contextualize --collection C`: contexts for a collection that is in use. */
export function addContextualizeCommand(program: Command, dependencies: ContextualizeCommandDependencies): void {
  program
    .command('contextualize')
    .description('write a context for every chunk of a live collection; running it again goes on')
    .requiredOption('--collection <name>', 'collection to work on, made by stowage or by others', nonEmpty)
    .addOption(new Option('--context <kind>', 'who writes the contexts').choices(WRITER_KINDS).default('rules'))
    .option('--url <url>', ADDRESS_URL, urlOption)
    .option('--api-key <key>', ADDRESS_KEY)
    .option(
      '--state <folder>',
      'former vectors and contexts on their way (default: .stowage/contextualize/<collection>)',
      pathOption,
    )
    .option(
      '--budget-usd <dollars>',
      'stop before more is spent, over all runs',
      numberOption(0, 1e9, { whole: false }),
    )
    .option('--into <name>', 'leave the collection as it is, and write a copy with contexts', nonEmpty)
    .option('--alias <name>', 'with --into: the alias that stands for the copy at the end', nonEmpty)
    .option('--only-payload', 'store contexts and leave all vectors as they are')
    .option('--dry-run', 'say what a run would take, and write nothing')
    .option(
      '--sample <contexts>',
      'show so many contexts beside their chunks, and change nothing',
      numberOption(1, 1_000),
    )
    .option('--seed <number>', 'which chunks --sample draws', numberOption(0), 1)
    .option('--rollback', 'take the contexts out: former vectors come back')
    .option('--status', 'show the contexts of the collection, and what was spent')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => runContextualize(flags, dependencies))
}

async function runContextualize(
  flags: Flags,
  { open, out, progress: stream }: ContextualizeCommandDependencies,
): Promise<void> {
  const modes = MODES.filter(mode => flags[mode] !== undefined)
  if (modes.length > 1) throw badRequest('give one of --dry-run, --sample, --rollback and --status at a time')
  if (flags.alias !== undefined && flags.into === undefined)
    throw badRequest('--alias needs --into: only a copy takes an alias over')
  if (flags.into === flags.collection) throw badRequest('--into needs the name of another collection')
  if (flags.into !== undefined && flags.rollback)
    throw badRequest('with --into there is nothing to roll back: the collection is as it was')
  const environment = await open({ ...flags, onlyPayload: flags.onlyPayload ?? false })
  const progress = createProgress(stream)
  try {
    const { result, text } = await runMode(flags, environment, progress)
    progress.stop()
    out.write(flags.json ? `${printJson(result)}\n` : text)
  } catch (error) {
    throw withPlace(error, environment.place)
  } finally {
    progress.stop()
    await environment.close()
  }
}

/** Ctrl-C ends the process by its signal, at any moment: what the state holds is whole at all times. */
async function runMode(
  flags: Flags,
  environment: ContextualizeEnvironment,
  progress: Progress,
): Promise<{ result: object; text: string }> {
  const { signal } = new AbortController()
  const { collection } = flags
  const dollarsOf = environment.dollars
  if (flags.status) {
    const status = await environment.status()
    const dollars = dollarsOf(status.spending)
    return { result: { collection, ...status, dollars }, text: coverageText(collection, status, dollars) }
  }
  if (flags.dryRun) {
    const estimate = await environment.estimate()
    const dollars = dollarsOf({
      [estimate.model]: { endpoint: estimate.endpoint, contexts: 0, fallbacks: 0, calls: 0, usage: estimate.usage },
    })
    return { result: { collection, ...estimate, dollars }, text: estimateText(collection, estimate, dollars) }
  }
  if (flags.sample !== undefined) {
    const samples = await environment.sample(flags.sample, flags.seed, signal)
    return { result: { collection, samples }, text: samplesText(samples, flags.sample) }
  }
  if (flags.rollback) {
    const result = await environment.rollBack(done => progress.show('points', done, done), signal)
    return { result: { collection, ...result }, text: rollbackText(collection, result) }
  }
  const show: OnContextProgress = ({ done, total, spending }) =>
    progress.show('contexts', done, total, `, ${shownDollars(dollarsOf(spending))}`)
  const result = await environment.run(show, signal)
  const dollars = dollarsOf(result.spending)
  return { result: { collection, ...result, dollars }, text: resultText(collection, result, dollars) }
}
