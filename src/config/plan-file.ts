import { readFileSync, statSync } from 'node:fs'
import { type LoadedReranker, readPlanChanges } from '../pipeline/plan/changes.ts'
import { formatOf, parseFile } from '../tenants/file/parse.ts'

type ReadPlan = ReturnType<typeof readPlanChanges>

/** Whether a text means a plan file and not the name of a plan: it has a folder, or the ending of a file. */
export function isPlanFile(text: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/iu.test(text)
}

/**
 * Reads a plan file: plan values as flags and tenants have them, in JSON or YAML. Never throws.
 * @param place what the faults begin with
 * @returns the changes, or one line per fault
 */
export function readPlanFile(path: string, place: string): ReadPlan {
  try {
    if (!statSync(path).isFile()) return { changes: null, faults: [`${place}: is not a file`] }
    return parsePlanFile(readFileSync(path), path, place, null)
  } catch (error) {
    return { changes: null, faults: [`${place}: cannot be read: ${(error as Error).message}`] }
  }
}

/**
 * The same for bytes that are read already.
 * @param name decides the format by its ending
 * @param loaded the reranker of the process; null before it is loaded
 */
export function parsePlanFile(bytes: Uint8Array, name: string, place: string, loaded: LoadedReranker | null): ReadPlan {
  const { value, faults } = parseFile(bytes, formatOf(name))
  if (faults.length > 0) return { changes: null, faults: faults.map(fault => `${place}: ${fault}`) }
  return readPlanChanges(value, place, loaded)
}
