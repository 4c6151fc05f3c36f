import { createReadStream } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { badRequest, StowageError } from '../core/errors.ts'
import type { Collected } from '../rollout/compare/collect.ts'
import type { ExperimentReport } from '../rollout/compare/experiment-report.ts'
import { experimentText, pairsText } from '../rollout/compare/report-text.ts'
import type { PairReport } from '../rollout/compare/shadow-pairs.ts'
import { MISMATCH_BELOW } from '../rollout/statistics/sample-ratio.ts'
import type { VerdictCode } from '../rollout/statistics/verdict.ts'
import { counted, printable } from '../text/printable.ts'
import { numberOption, urlOption } from './option-values.ts'
import { createProgress } from './progress.ts'
import { decoded, type Pieces, traceFiles } from './trace-files.ts'

interface AbCommandDependencies {
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
  fetch: typeof fetch
}

interface AbFlags {
  url?: string
  apiKey?: string
  experiment?: string
  share?: number
  since?: number
  json?: boolean
}

const EXAMPLES = `
Exit code: 0 nothing is wrong, or not enough data yet, 1 roll back or do not trust (or the command failed, for example because
the server does not answer), 2 wrong use.

Examples:
  $ stowage ab traces.jsonl
  $ stowage ab traces.jsonl --experiment sentences --since 2026-11-22T08:00:00Z
  $ stowage ab --url http://localhost:6433 --api-key OPERATOR_KEY --json`

/** Adds `stowage ab`: compares the variants of experiments, and gives a verdict on each treatment. */
export function addAbCommand(program: Command, dependencies: AbCommandDependencies): void {
  program
    .command('ab')
    .description('compare the variants of experiments: lift, interval, p value, needed sample and a verdict')
    .argument('[file...]', 'files of TRACE_FILE; their rotated files (FILE.1, FILE.2, …) are read too')
    .option('--url <url>', 'read the latest outcomes of this stowage, instead of files', urlOption)
    .option('--api-key <key>', 'key of an operator, for --url')
    .option('--experiment <name>', 'compare this experiment only (default: all)')
    .option('--share <share>', 'declared share of each treatment, when the traces do not tell', shareOption)
    .option('--since <time>', 'leave out requests from before this time (ISO 8601)', timeOption)
    .option('--json', 'print {"experiments": [...], "shadows": [...], ...}')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], flags: AbFlags) => runAb(files, flags, dependencies))
}

async function runAb(files: string[], flags: AbFlags, dependencies: AbCommandDependencies): Promise<void> {
  if ((files.length === 0) === (flags.url === undefined))
    throw badRequest('name files of traces, or a server with --url')
  const { experiment = null, since = null, share = null } = flags
  // Loaded here: no other command needs the statistics.
  const [{ COLLECT_LIMITS, createCollector }, { experimentReport }] = await Promise.all([
    import('../rollout/compare/collect.ts'),
    import('../rollout/compare/experiment-report.ts'),
  ])
  const collector = createCollector({ experiment, since, ...COLLECT_LIMITS })
  if (flags.url === undefined) await readFiles(files, collector.readTraces, dependencies.progress)
  else await readServer(flags.url, flags, collector.readOutcomes, dependencies.fetch)
  const { collected } = collector
  const experiments = [...collected.tables].map(([name, table]) => experimentReport(name, table, share))
  const shadows = collected.pairs.reports()
  const isEmpty = experiments.length + shadows.length === 0
  // A server has no outcomes after its start and after a reset. Lines without one that is wanted are wrong use.
  if (isEmpty && (flags.url === undefined || collected.lines > 0)) throw nothingFound(collected, experiment)
  const noData = isEmpty ? { verdict: NO_DATA } : {}
  dependencies.out.write(
    flags.json
      ? `${JSON.stringify({ experiments, shadows, ...noData, ...faultsOf(collected) })}\n`
      : isEmpty
        ? noOutcomesText(experiment)
        : reportText(experiments, shadows, collected),
  )
  const wrong = experiments.flatMap(wrongIn)
  if (wrong.length > 0) throw new StowageError('unprocessable', wrong.join(', '))
}

const unknownAnswer = z.object({
  error: z.object({ code: z.literal('not_found'), message: z.string(), details: z.array(z.string()).optional() }),
})

const NO_DATA: VerdictCode = 'not enough data'
const noOutcomesText = (experiment: string | null) =>
  `${NO_DATA}: the server has no outcomes of ${experiment === null ? 'any experiment' : `the experiment ${printable(experiment)}`} yet\n`

/** The verdicts that end the command with 1. When every request of a treatment is lost, there is no treatment to judge. */
function wrongIn({ experiment: name, treatments, sampleRatio }: ExperimentReport): string[] {
  if (treatments.length === 0 && (sampleRatio?.p ?? 1) < MISMATCH_BELOW)
    return [`${name}: do not trust: no request of a treatment was read`]
  return treatments
    .filter(({ verdict }) => verdict === 'roll back' || verdict === 'do not trust')
    .map(({ variant, verdict }) => `${name}=${variant}: ${verdict}`)
}

type ReadLines = (name: string, chunks: AsyncIterable<string>) => Promise<void>

async function readFiles(named: string[], read: ReadLines, terminal: NodeJS.WriteStream): Promise<void> {
  const files = traceFiles(named)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const progress = createProgress(terminal)
  let done = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      done += chunk.length
      progress.show('reading, MB', megabytes(Math.min(done, total)), megabytes(total))
      yield chunk
    }
  }
  try {
    for (const { path } of files) await read(path, decoded(counted(createReadStream(path))))
  } finally {
    progress.stop()
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10

async function readServer(url: string, { apiKey, experiment }: AbFlags, read: ReadLines, get: typeof fetch) {
  const ask = async (path: string): Promise<Pieces> => {
    const target = `${url.replace(/\/+$/u, '')}${path}`
    const response = await get(target, { headers: apiKey ? { 'api-key': apiKey } : {} }).catch((error: unknown) => {
      throw new StowageError('upstream_unavailable', `${target}: ${causeOf(error)}`)
    })
    if (response.ok && response.body) return response.body
    if (response.status === 404) {
      const unknown = await unknownExperiment(response)
      if (unknown?.isMisspelt) throw badRequest(`${target}: ${unknown.message}`)
      if (unknown !== null) return []
    }
    const hint = response.status === 401 || response.status === 403 ? '; --api-key must be the key of an operator' : ''
    throw new StowageError('upstream_error', `${target}: the server answered ${response.status}${hint}`)
  }
  const names = experiment === undefined ? await experimentNames(ask) : [experiment]
  for (const name of names) await read(name, decoded(await ask(`/v1/experiments/${encodeURIComponent(name)}/outcomes`)))
}

/**
 * What stowage says of an experiment that it does not know; null when another server answers. The name is misspelt, or of another server,
 * when stowage knows other experiments.
 */
async function unknownExperiment(response: Response): Promise<{ message: string; isMisspelt: boolean } | null> {
  const { data } = unknownAnswer.safeParse(await response.json().catch(() => null))
  return data === undefined ? null : { message: data.error.message, isMisspelt: data.error.details !== undefined }
}

async function experimentNames(ask: (path: string) => Promise<Pieces>): Promise<string[]> {
  let text = ''
  for await (const part of decoded(await ask('/v1/experiments'))) text += part
  try {
    const { experiments } = JSON.parse(text) as { experiments: { experiment: string }[] }
    return experiments.map(({ experiment }) => experiment)
  } catch {
    throw new StowageError('upstream_error', 'the list of experiments was not understood; is this stowage?')
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

function reportText(experiments: ExperimentReport[], shadows: PairReport[], collected: Collected): string {
  const { broken, faults, single, lost } = faultsOf(collected)
  const notes = [
    ...faults.map(fault => `not understood: ${printable(fault)}\n`),
    broken > faults.length
      ? `${counted(broken - faults.length, 'more line was', 'more lines were')} not understood\n`
      : '',
    lost > 0
      ? `the server could not write ${counted(lost, 'trace')}, those of other requests and of shadow runs included\n`
      : '',
    single > 0 ? `${counted(single, 'shadow run was', 'shadow runs were')} read without an answer\n` : '',
  ].join('')
  return [...experiments.map(experimentText), ...shadows.map(pairsText), notes].filter(Boolean).join('\n')
}

function faultsOf({ lines, broken, lost, faults, pairs }: Collected) {
  return { lines, broken, lost, faults, single: pairs.single }
}

function nothingFound({ lines, broken, faults, others }: Collected, experiment: string | null): StowageError {
  const read = `${counted(lines, 'line was', 'lines were')} read${broken > 0 ? `, ${broken} of them not understood (${faults[0]})` : ''}`
  const known = [...others].sort().join(', ')
  const none = experiment === null ? 'no request of an experiment' : `no request of the experiment ${experiment}`
  return badRequest(`${none}: ${read}${known ? `; there are ${known}` : ''}`)
}

function shareOption(text: string): number {
  const share = numberOption(0, 1, { whole: false })(text)
  if (share > 0 && share < 1) return share
  throw new InvalidArgumentError('Expected a share between 0 and 1, such as 0.1.')
}

function timeOption(text: string): number {
  const time = Date.parse(text)
  if (Number.isFinite(time)) return time
  throw new InvalidArgumentError(`Expected a time such as 2026-11-22T08:00:00Z, got ${JSON.stringify(text)}.`)
}
