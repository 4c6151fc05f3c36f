import { badRequest, StowageError } from '../../core/errors.ts'
import { checkGoldenSet, checkHalves } from '../../evaluation/golden-check/check.ts'
import type { Finding } from '../../evaluation/golden-check/finding.ts'
import { errorsText, findingsText } from '../../evaluation/golden-check/findings-text.ts'
import { checkReach } from '../../evaluation/golden-check/reach.ts'
import { examineCollectionSet, type LiveCollection } from '../../evaluation/golden-set/collection-set.ts'
import { type ExaminedSet, examineGoldenSet, type GoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { type LiveOptions, type OpenLiveCollection, withLiveCollection } from '../replay/live-collection.ts'
import { goldenFolder } from './folder.ts'

export interface GoldenCheckDependencies {
  out: NodeJS.WritableStream
  openCollection: OpenLiveCollection
  /** Opens the documents of a set as a collection, for its filters. */
  openDocuments(set: GoldenSet): Promise<LiveCollection & { close(): Promise<void> }>
  /** Counts with the reference tokenizer of replays. */
  countTokens(): Promise<(text: string) => number>
}

export interface CheckFlags extends LiveOptions {
  budget: number
  trainShare: number
  train?: string
  test?: string
  json?: boolean
}

/** Does what `stowage golden check` is asked for. @throws StowageError `unprocessable` when there are errors */
export async function runCheck(
  names: string[],
  flags: CheckFlags,
  dependencies: GoldenCheckDependencies,
): Promise<void> {
  const { train, test } = flags
  if ((train === undefined) !== (test === undefined)) throw badRequest('give both --train and --test')
  const paths = [...names, ...(train === undefined || test === undefined ? [] : [train, test])].map(goldenFolder)
  if (paths.length === 0) throw badRequest('name golden sets, or --train and --test')
  const countTokens = await dependencies.countTokens()
  const { examined, findings } = await withLiveCollection(flags, dependencies.openCollection, async live => {
    const examined: ExaminedSet[] = []
    const findings: Finding[] = []
    for (const path of paths) {
      const one = live === null ? await examineGoldenSet(path) : await examineCollectionSet(path, live)
      examined.push(one)
      findings.push(...checkGoldenSet(one, { largestBudget: flags.budget, countTokens }, flags.trainShare))
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
    throw new StowageError('unprocessable', `${errorsText(errors)} in ${sets.map(({ name }) => name).join(', ')}`)
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
