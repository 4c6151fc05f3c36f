import { getOrInsert } from '../core/collections.ts'
import { changePlan, type LoadedReranker, type PlanChanges, readPlanChanges } from '../pipeline/plan/changes.ts'
import { PLAN_NAMES } from '../pipeline/plan/plan.ts'
import type { PlanStep } from './plan-steps.ts'
import type { FlagDefinition, FlagPayload } from './provider.ts'

/** What a payload can refer to. */
export interface PayloadReader {
  /** The reranker of the process. */
  loaded: LoadedReranker
  /** The plan files, by the name of the file without its ending. */
  plans: ReadonlyMap<string, PlanChanges>
  /** A name for a step that no other has. */
  newStepId(): string
}

/** Longest text of a payload, in UTF-16 code units. All plan values together are a hundredth of it. */
const LONGEST = 100_000

/** Reads the payloads of all variants once. A request only looks up what its payload does. Never throws. */
export function readPayloads(definitions: readonly FlagDefinition[], reader: PayloadReader) {
  /** By the type, and then the value of the payload. */
  const steps = new Map<string, Map<string, PlanStep>>()
  const faults = new Map<FlagDefinition, string[]>()
  for (const definition of definitions) {
    const wrong: string[] = []
    for (const { name, payload } of definition.variantSets.flat()) {
      if (payload === null) continue
      const read = readPayload(payload, `${definition.key}, variant ${name.slice(0, 100)}`, reader)
      wrong.push(...read.faults)
      const { changes } = read
      const ofType = getOrInsert(steps, payload.type, () => new Map<string, PlanStep>())
      if (changes !== null && !ofType.has(payload.value))
        ofType.set(payload.value, { id: reader.newStepId(), change: plan => changePlan(plan, changes) })
    }
    faults.set(definition, [...new Set(wrong)])
  }
  return {
    faultsOf: (definition: FlagDefinition) => faults.get(definition) ?? [],
    stepOf: (payload: FlagPayload | null) =>
      payload === null ? null : (steps.get(payload.type)?.get(payload.value) ?? null),
  }
}

type Read = { changes: PlanChanges | null; faults: readonly string[] }

/** What one payload means. Never throws. @param place where it stands, for the faults */
export function readPayload({ type, value }: FlagPayload, place: string, reader: PayloadReader): Read {
  const fault = (message: string): Read => ({ changes: null, faults: [`${place}: ${message}`] })
  if (value.length > LONGEST) return fault(`the payload is longer than ${LONGEST} characters`)
  if (type !== 'json' && type !== 'string')
    return fault(`a payload of type ${type.slice(0, 100)} has no meaning; json and string have`)
  if (type === 'json' || value.trimStart().startsWith('{')) {
    let values: unknown
    try {
      values = JSON.parse(value)
    } catch {
      return fault('the payload is not JSON')
    }
    return readPlanChanges(values, place, reader.loaded)
  }
  const name = value.trim()
  if (PLAN_NAMES.some(known => known === name)) return readPlanChanges({ STOWAGE_PLAN: name }, place, reader.loaded)
  const changes = reader.plans.get(name)
  if (changes !== undefined) return { changes, faults: [] }
  const known = [...PLAN_NAMES, ...reader.plans.keys()].join(', ')
  return fault(`no plan is called ${JSON.stringify(name.slice(0, 100))}; known are: ${known}`)
}
