import type { Command } from 'commander'
import { StowageError } from '../../core/errors.ts'
import { checkGoldenSet, checkHalves } from '../../evaluation/golden-check/check.ts'
import type { Finding } from '../../evaluation/golden-check/finding.ts'
import { findingsText } from '../../evaluation/golden-check/findings-text.ts'
import { checkReach } from '../../evaluation/golden-check/reach.ts'
import { examineCollectionSet, type LiveCollection } from '../../evaluation/golden-set/collection-set.ts'
import { type ExaminedSet, examineGoldenSet, type GoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { numberOption } from '../option-values.ts'
import { addLiveOptions, type LiveOptions, type OpenLiveCollection, withLiveCollection } from '../replay/live-sets.ts'
import { goldenFolder } from './folder.ts'

export interface GoldenCheckDependencies {
  out: NodeJS.WritableStream
  openCollection: OpenLiveCollection
  /** Opens the documents of a set as a collection, for its filters. */
  openDocuments(set: GoldenSet): Promise<LiveCollection & { close(): Promise<void> }>
  /** Counts with the reference tokenizer of replays. */
  countTokens(): Promise<(text: string) => number>
}

interface CheckFlags extends LiveOptions {
  budget: number
  train?: string
  test?: string
  json?: boolean
}

const EXAMPLES = `
Exit code: 0 no errors (there may be warnings), 1 errors, 2 wrong use.

Examples:
  $ stowage golden check isharoth
  $ stowage golden check ./queries.jsonl --url http://127.0.0.1:6333 --collection docs
  $ stowage golden check --train ./tuning --test ./held-out --json`

/** Adds `stowage golden check SET…`. */
export function addGoldenCheck(golden: Command, dependencies: GoldenCheckDependencies): void {
  const command = golden
    .command('check')
    .description(
      'find golds that no longer exist, questions that are asked twice, leaks between train and test, and more',
    )
    .argument('[set...]', 'golden sets: names under goldens/, or paths')
    .option('--train <set>', 'a set for training; with --test: nothing of it may be in that set')
    .option('--test <set>', 'a set for testing')
    .option('--budget <tokens>', 'the largest budget of your replays', numberOption(1), 4000)
    .option('--json', 'print {"ok": …, "findings": [...]}')
    .addHelpText('after', EXAMPLES)
  addLiveOptions(command).action((sets: string[], flags: CheckFlags) => runCheck(sets, flags, dependencies))
}

async function runCheck(names: string[], flags: CheckFlags, dependencies: GoldenCheckDependencies): Promise<void> {
  const { train, test } = flags
  if ((train === undefined) !== (test === undefined))
    throw new StowageError('bad_request', 'give both --train and --test')
  const paths = [...names, ...(train === undefined || test === undefined ? [] : [train, test])].map(goldenFolder)
  if (paths.length === 0) throw new StowageError('bad_request', 'name golden sets, or --train and --test')
  const countTokens = await dependencies.countTokens()
  const { examined, findings } = await withLiveCollection(flags, dependencies.openCollection, async live => {
    const examined: ExaminedSet[] = []
    const findings: Finding[] = []
    for (const path of paths) {
      const one = live === null ? await examineGoldenSet(path) : await examineCollectionSet(path, live)
      examined.push(one)
      findings.push(...checkGoldenSet(one, { largestBudget: flags.budget, countTokens }))
      findings.push(...(await reachFindings(one, live, dependencies)))
    }
    const [training, testing] = examined.slice(names.length)
    if (training && testing) findings.push(...checkHalves(training, testing))
    return { examined, findings }
  })
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const sets = examined.map(({ set }) => ({ name: set.name, queries: set.queries.length }))
  dependencies.out.write(
    flags.json ? `${JSON.stringify({ ok: errors === 0, sets, findings })}\n` : findingsText(findings, sets),
  )
  if (errors > 0)
    throw new StowageError('unprocessable', `${errors} errors in ${sets.map(({ name }) => name).join(', ')}`)
}

async function reachFindings(
  examined: ExaminedSet,
  live: LiveCollection | null,
  { openDocuments }: GoldenCheckDependencies,
): Promise<Finding[]> {
  if (live !== null) return checkReach(examined, live, tenant => live.conditionOf(tenant))
  // The documents of a folder belong to no tenant, so only filters decide.
  if (examined.set.queries.every(({ filter }) => filter === null)) return []
  const ingested = await openDocuments(examined.set)
  try {
    return await checkReach(examined, ingested, () => null)
  } finally {
    await ingested.close()
  }
}
