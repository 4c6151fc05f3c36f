import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StowageError } from '../../core/errors.ts'
import { type GoldenSet, readGoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { type Arm, type NamedPlans, parseArms } from '../../evaluation/replay/arms.ts'

const SHIPPED_GOLDENS = fileURLToPath(new URL('../../../goldens', import.meta.url))

/** Reads the golden sets: names under `goldens/`, or paths. @throws StowageError `bad_request` */
export function readSets(names: readonly string[]): Promise<GoldenSet[]> {
  return Promise.all(names.map(name => readGoldenSet(setFolder(name))))
}

/** Reads the arms, among them the one that the others are compared with. @throws StowageError `bad_request` */
export function readArms(text: string, against: string, plans: NamedPlans): Arm[] {
  const arms = parseArms(text, plans)
  if (arms.some(arm => arm.name === against)) return arms
  const known = arms.map(arm => arm.name).join(', ')
  throw new StowageError('bad_request', `--against ${against} is not among the arms: ${known}`)
}

/** The budgets in rising order, each once. */
export function sortedBudgets(budgets: readonly number[]): number[] {
  return [...new Set(budgets)].sort((left, right) => left - right)
}

/** Refuses a file whose folder does not exist before any work is done for it. @throws StowageError `bad_request` */
export function refuseNoFolder(option: string, file: string | undefined): void {
  if (file && !existsSync(dirname(file)))
    throw new StowageError('bad_request', `${option} ${file}: there is no folder ${dirname(file)}`)
}

/** Looks for a bare name under `goldens/`, here and in the package; everything else is a path. */
function setFolder(name: string): string {
  const isName = /^[^./\\][^/\\]*$/.test(name)
  const places = isName ? [join('goldens', name), join(SHIPPED_GOLDENS, name), name] : [name]
  const found = places.find(place => existsSync(place))
  if (found) return found
  throw new StowageError('bad_request', `no golden set ${name}: looked for ${places.join(', ')}`)
}
