import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import cliProgress from 'cli-progress'
import type { Command } from 'commander'
import { StowageError } from '../core/errors.ts'
import { readGoldenSet } from '../evaluation/golden-set/golden-set.ts'
import { type NamedPlans, parseArms } from '../evaluation/replay/arms.ts'
import { type OnProgress, type ReplayDependencies, replay } from '../evaluation/replay/replay.ts'
import { reportJson, reportText } from '../evaluation/replay/report.ts'
import { summarize } from '../evaluation/replay/summary.ts'
import { numberOption } from './number-option.ts'

/** What the replay command needs of the composition root. `open` is called once the command line is known to be good. */
export interface ReplayCommandDependencies {
  plans: () => NamedPlans
  open: () => Promise<ReplayDependencies & { close(): Promise<void> }>
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

const SHIPPED_GOLDENS = fileURLToPath(new URL('../../goldens', import.meta.url))

interface ReplayFlags {
  budgets: number[]
  arms: string
  against: string
  chunkTokens: number
  limitQueries?: number
  json?: string
  cache: string
}

/** Adds `stowage replay SET…`: golden sets under every arm and budget, as a table and, if wanted, as JSON. */
export function addReplayCommand(program: Command, dependencies: ReplayCommandDependencies): void {
  program
    .command('replay')
    .description('measure answer recall at token budgets on golden sets, arm against arm')
    .argument('<set...>', 'golden sets: names under goldens/ or paths')
    .option('--budgets <tokens>', 'token budgets, between commas', budgetList, [250, 500, 1000, 2000, 4000])
    .option(
      '--arms <arms>',
      'arms, between commas; plan values can be overridden, e.g. measured:packing.cut=false,reunification.growth=0',
      'baseline,topk,design,measured',
    )
    .option('--against <arm>', 'the arm that the others are compared with', 'topk')
    .option('--chunk-tokens <tokens>', 'size of the chunks that the sets are cut into', numberOption(1), 200)
    .option('--limit-queries <n>', 'ask only n queries of each set, spread over it', numberOption(1))
    .option('--json <file>', 'write everything, query by query, to this file')
    .option('--cache <folder>', 'where ingested sets are kept', join('.stowage', 'replay'))
    .action((names: string[], flags: ReplayFlags) => runReplay(names, flags, dependencies))
}

async function runReplay(names: string[], flags: ReplayFlags, dependencies: ReplayCommandDependencies): Promise<void> {
  const arms = parseArms(flags.arms, dependencies.plans())
  if (!arms.some(arm => arm.name === flags.against)) {
    const known = arms.map(arm => arm.name).join(', ')
    throw new StowageError('bad_request', `--against ${flags.against} is not among the arms: ${known}`)
  }
  if (flags.json && !existsSync(dirname(flags.json)))
    throw new StowageError('bad_request', `--json ${flags.json}: there is no folder ${dirname(flags.json)}`)
  const sets = await Promise.all(names.map(name => readGoldenSet(setFolder(name))))
  const options = {
    chunkTokens: flags.chunkTokens,
    cacheFolder: flags.cache,
    limitQueries: flags.limitQueries ?? null,
  }
  const opened = await dependencies.open()
  const bars = progressBars(dependencies.progress)
  try {
    const report = await replay(sets, arms, flags.budgets, options, opened, bars.show)
    bars.stop()
    const summary = summarize(report, flags.against)
    dependencies.out.write(reportText(report, summary))
    if (flags.json) await writeFile(flags.json, reportJson(report, summary))
  } finally {
    bars.stop()
    await opened.close()
  }
}

/** A bare name is looked for under `goldens/` here and in the package; all else is a path. */
function setFolder(name: string): string {
  const isName = /^[^./\\][^/\\]*$/.test(name)
  const places = isName ? [join('goldens', name), join(SHIPPED_GOLDENS, name), name] : [name]
  const found = places.find(place => existsSync(place))
  if (found) return found
  throw new StowageError('bad_request', `no golden set ${name}: looked for ${places.join(', ')}`)
}

/** A bar on a terminal; elsewhere a line for each quarter of a phase. */
function progressBars(stream: NodeJS.WriteStream): { show: OnProgress; stop(): void } {
  const format = '{set} {phase} {bar} {value}/{total} ETA {eta_formatted}'
  const bar = new cliProgress.SingleBar({ stream, format, clearOnComplete: true })
  let current = ''
  return {
    show({ set, phase, done, total }) {
      const mark = stream.isTTY ? `${set} ${phase}` : `${set} ${phase} ${Math.floor((4 * done) / total)}`
      if (!stream.isTTY && mark !== current) stream.write(`${set}: ${phase} ${done}/${total}\n`)
      if (stream.isTTY && mark === current) bar.update(done)
      if (stream.isTTY && mark !== current) {
        bar.stop()
        bar.start(total, done, { set, phase })
      }
      current = mark
    },
    stop: () => bar.stop(),
  }
}

function budgetList(text: string): number[] {
  const budgets = text.split(',').map(numberOption(1))
  return [...new Set(budgets)].sort((left, right) => left - right)
}
