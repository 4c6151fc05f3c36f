import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { parsePlanFile } from '../../config/plan-file.ts'
import { compareText } from '../../core/collections.ts'
import type { LoadedReranker, PlanChanges } from '../../pipeline/plan/changes.ts'
import { PLAN_NAMES } from '../../pipeline/plan/plan.ts'
import { MOST_BYTES } from '../../tenants/file/parse.ts'
import { readAtMost } from '../read-at-most.ts'
import { type AcceptedContent, openReloading, type ReadFile, type Reloaded } from '../reload.ts'

/** Plan values by the name of their file without its ending. */
export type PlanFiles = ReadonlyMap<string, PlanChanges>

const ENDINGS = ['.json', '.yaml', '.yml']
const MOST_FILES = 1_000

/**
 * Opens a folder of plan files, each with plan values as a tenant has them. It is read again when it changes.
 * @returns the faults of files that cannot be used; later faults leave all plans as they are
 */
export async function openPlanFolder(
  folder: string,
  loaded: LoadedReranker,
  onChange: (change: { faults: readonly string[] | null }) => void,
  accepted: AcceptedContent | null = null,
): Promise<Reloaded<PlanFiles> | { faults: readonly string[] }> {
  return openReloading<PlanFiles>({
    readBytes: () => readFolder(folder),
    read: bytes => readPlans(bytes, loaded),
    onChange,
    accepted,
  })
}

/** All plan files as one JSON text: `[[name, base64], …]`. It changes when any of them does. */
async function readFolder(folder: string): Promise<Uint8Array> {
  const names = (await readdir(folder)).filter(name => ENDINGS.includes(extname(name).toLowerCase())).sort(compareText)
  const files: [string, string][] = []
  for (const name of names.slice(0, MOST_FILES)) {
    const bytes = await readAtMost(join(folder, name), MOST_BYTES.yaml + 1)
    files.push([name, Buffer.from(bytes).toString('base64')])
  }
  return Buffer.from(JSON.stringify(files))
}

function readPlans(bytes: Uint8Array, loaded: LoadedReranker): ReadFile<PlanFiles> {
  const plans = new Map<string, PlanChanges>()
  const faults: string[] = []
  for (const [file, content] of JSON.parse(Buffer.from(bytes).toString()) as [string, string][]) {
    const name = file.slice(0, -extname(file).length)
    const { changes, faults: wrong } = parsePlanFile(Buffer.from(content, 'base64'), file, file, loaded)
    faults.push(...wrong)
    if (PLAN_NAMES.some(known => known === name)) faults.push(`${file}: ${name} is the name of a plan of stowage`)
    if (plans.has(name)) faults.push(`${file}: there is another file with this name`)
    if (changes !== null) plans.set(name, changes)
  }
  return faults.length > 0 ? { value: null, faults } : { value: plans, faults: null }
}
