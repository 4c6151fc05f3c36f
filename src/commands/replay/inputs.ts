import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { badRequest } from '../../core/errors.ts'
import type { Arm, PlanArm } from '../../evaluation/arms/arm.ts'
import type { NamedPlans } from '../../evaluation/arms/named-arms.ts'
import { readArms } from '../../evaluation/arms/parse.ts'
import { type LiveCollection, readCollectionSet } from '../../evaluation/golden-set/collection-set.ts'
import { type GoldenSet, readGoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { goldenFolder } from '../golden/folder.ts'
import { type LiveOptions, withLiveCollection } from './live-collection.ts'
import type { SessionDependencies } from './session.ts'

/**
 * Reads the golden sets: names under `goldens/`, or paths. Their gold passages stand in their own corpus, or in the live collection.
 * A collection that only server arms ask is not read: what they answer is measured by the texts of the corpus.
 * @throws StowageError `bad_request`
 */
export async function readSets(
  names: readonly string[],
  options: LiveOptions,
  arms: readonly Arm[],
  { openCollection, progress }: Pick<SessionDependencies, 'openCollection' | 'progress'>,
): Promise<GoldenSet[]> {
  const folders = names.map(goldenFolder)
  const isLive = options.url !== undefined || arms.some(({ kind }) => kind === 'plan')
  const sets = await withLiveCollection(isLive ? options : {}, openCollection, live =>
    live === null ? Promise.all(folders.map(readGoldenSet)) : readLiveSets(folders, live),
  )
  refuseEqual(sets, folders)
  for (const { name, unsureSpans = [], emptyGolds = [] } of sets) {
    if (unsureSpans.length > 0)
      progress.write(
        `warning: ${name}: ${unsureSpans.length} spans without \`text\` in files with CRLF or a byte order mark can be shifted; stowage golden check names them\n`,
      )
    if (emptyGolds.length > 0)
      progress.write(`warning: ${name}: ${emptyGolds.length} judgements of documents without text are left out\n`)
  }
  return sets
}

async function readLiveSets(paths: readonly string[], live: LiveCollection): Promise<GoldenSet[]> {
  const sets: GoldenSet[] = []
  for (const path of paths) sets.push(await readCollectionSet(path, live))
  return sets
}

/** A set that counts twice makes figures look surer than they are; reports and baselines tell sets by their names. */
function refuseEqual(sets: readonly GoldenSet[], paths: readonly string[]): void {
  for (const [at, { hash, name }] of sets.entries()) {
    const other = sets.findIndex(set => set.hash === hash || set.name === name)
    if (other === at) continue
    const both = `golden sets ${paths[other]} and ${paths[at]}`
    const fault =
      sets[other]?.hash === hash
        ? 'have the same questions, gold passages and documents: leave one out'
        : `are both called ${name}, and reports tell sets by their names: give one of the folders another name`
    throw badRequest(`${both} ${fault}`)
  }
}

/** Options of the command line that name arms. */
export interface ArmFlags {
  arms?: string
  arm: readonly string[]
  against?: string
  collection?: string
}

const DEFAULT_ARMS = 'baseline,topk,design,measured'
const DEFAULT_AGAINST = 'topk'

/**
 * Reads the arms, and chooses the one that the others are compared with: by default `topk`, else the first one. `--arm` alone replaces the
 * default arms.
 * @throws StowageError `bad_request`
 */
export function readComparison(
  { arms: text, arm: named, against, collection }: ArmFlags,
  plans: NamedPlans,
): { arms: Arm[]; against: string } {
  const arms = readArms({ arms: text ?? (named.length > 0 ? '' : DEFAULT_ARMS), named, collection }, plans)
  const names = arms.map(({ name }) => name)
  const reference = against ?? (names.includes(DEFAULT_AGAINST) ? DEFAULT_AGAINST : (names[0] ?? ''))
  if (names.includes(reference)) return { arms, against: reference }
  throw badRequest(`--against ${reference} is not among the arms: ${names.join(', ')}`)
}

/**
 * Reads the one arm that runs in this process: of `--arms` or `--arm`, or else an arm with overrides or a plan file.
 * @throws StowageError `bad_request`
 */
export function readOnePlan({ arms = '', arm: named }: ArmFlags, otherwise: string, plans: NamedPlans): PlanArm {
  const isNamed = arms !== '' || named.length > 0
  const [arm, ...others] = readArms({ arms: isNamed ? arms : otherwise, named }, plans)
  if (arm?.kind === 'plan' && others.length === 0) return arm
  throw badRequest('give one arm, and not a server: a plan with its overrides, or a plan file')
}

/** Refuses a file whose folder does not exist before any work is done for it. @throws StowageError `bad_request` */
export function refuseNoFolder(option: string, file: string | undefined): void {
  if (file && !existsSync(dirname(file))) throw badRequest(`${option} ${file}: there is no folder ${dirname(file)}`)
}
