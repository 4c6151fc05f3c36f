import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { StowageError } from '../core/errors.ts'
import { readGoldenSet } from '../evaluation/golden-set/golden-set.ts'
import { type NamedPlans, parseArms } from '../evaluation/replay/arms.ts'
import { type ReplayDependencies, replay } from '../evaluation/replay/replay.ts'
import { reportJson, reportText } from '../evaluation/replay/report.ts'
import { summarize } from '../evaluation/replay/summary.ts'
import { CHUNK_DEFAULTS } from '../ingest/chunking/chunk-markdown.ts'
import { goldenFolder } from './golden/folder.ts'
import { listOption, numberOption } from './option-values.ts'
import { createProgress } from './progress.ts'
import {
  addLiveOptions,
  type LiveOptions,
  type OpenLiveCollection,
  readLiveSets,
  withLiveCollection,
} from './replay/live-sets.ts'

export interface ReplayCommandDependencies {
  plans: () => NamedPlans
  /** Called after the command line is checked. */
  open: (where: { url?: string; apiKey?: string }) => Promise<ReplayDependencies & { close(): Promise<void> }>
  openCollection: OpenLiveCollection
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface ReplayFlags extends LiveOptions {
  budgets: number[]
  arms: string
  against: string
  chunkTokens: number
  limitQueries?: number
  json?: string
  cache: string
}

const EXAMPLES = `
Examples:
  $ stowage replay isharoth
  $ stowage replay isharoth --arms topk,measured,measured:reunification.expansion=0
  $ stowage replay ./my-set --budgets 500,1000 --json report.json
  $ stowage replay queries.jsonl --url http://127.0.0.1:6333 --collection docs`

/** Adds `stowage replay SET…`: measures golden sets under every arm and budget, and prints a table or JSON. */
export function addReplayCommand(program: Command, dependencies: ReplayCommandDependencies): void {
  const command = program
    .command('replay')
    .description('measure the answer recall of several plans (arms) at token budgets, on golden sets')
    .argument('<set...>', 'golden sets: names under goldens/, or paths')
    .option(
      '--budgets <tokens>',
      'token budgets, separated by commas',
      listOption(numberOption(1)),
      [250, 500, 1000, 2000, 4000],
    )
    .option(
      '--arms <arms>',
      'arms, separated by commas; an arm can override values of its plan (see the examples)',
      'baseline,topk,design,measured',
    )
    .option('--against <arm>', 'the arm that the others are compared with', 'topk')
    .option('--chunk-tokens <tokens>', 'target size of the chunks', numberOption(1), CHUNK_DEFAULTS.targetTokens)
    .option('--limit-queries <n>', 'use only n queries of each set, at even distances', numberOption(1))
    .option('--json <file>', 'write the figures of every query to this file')
    .option('--cache <folder>', 'folder for ingested sets', join('.stowage', 'replay'))
    .addHelpText('after', EXAMPLES)
  addLiveOptions(command).action((names: string[], flags: ReplayFlags) => runReplay(names, flags, dependencies))
}

async function runReplay(names: string[], flags: ReplayFlags, dependencies: ReplayCommandDependencies): Promise<void> {
  const { against, json, chunkTokens, limitQueries = null, cache: cacheFolder } = flags
  const arms = parseArms(flags.arms, dependencies.plans())
  if (!arms.some(arm => arm.name === against)) {
    const known = arms.map(arm => arm.name).join(', ')
    throw new StowageError('bad_request', `--against ${against} is not among the arms: ${known}`)
  }
  if (json && !existsSync(dirname(json)))
    throw new StowageError('bad_request', `--json ${json}: there is no folder ${dirname(json)}`)
  const folders = names.map(goldenFolder)
  const sets = await withLiveCollection(flags, dependencies.openCollection, live =>
    live === null ? Promise.all(folders.map(readGoldenSet)) : readLiveSets(folders, live),
  )
  const budgets = [...new Set(flags.budgets)].sort((left, right) => left - right)
  const { url, apiKey } = flags
  const opened = await dependencies.open({ ...(url && { url }), ...(apiKey && { apiKey }) })
  const progress = createProgress(dependencies.progress)
  try {
    const job = { sets, arms, budgets, chunkTokens, cacheFolder, limitQueries, onProgress: progress.show }
    const report = await replay(job, opened)
    progress.stop()
    const summary = summarize(report, against)
    dependencies.out.write(reportText(report, summary))
    if (json) await writeFile(json, reportJson(report, summary))
  } finally {
    progress.stop()
    await opened.close()
  }
}
