import type { FieldKind } from './fields.ts'

/** A kind of fault of one field. */
interface FaultKind {
  field: string
  problem: 'missing' | 'other embedder' | FieldKind
  /** JSON of the value that was found first. */
  value?: string
  /** JSON of the value that the collection has. */
  stored?: string
}

/** Points of a request with the same kind of fault in the same field. */
export interface UpsertFault extends FaultKind {
  points: number
  /** JSON of the first ids. */
  ids: string[]
}

const SHOWN_IDS = 5

/** Collects faults by field and problem. */
export class FaultList {
  readonly #faults = new Map<string, UpsertFault>()

  get faults(): UpsertFault[] {
    return [...this.#faults.values()]
  }

  /** @param id JSON of the id of the point; '' when it has none */
  add(kind: FaultKind, id: string): void {
    const key = `${kind.field} ${kind.problem}`
    const fault = this.#faults.get(key)
    if (fault === undefined) this.#faults.set(key, { ...kind, points: 1, ids: [id] })
    else {
      fault.points++
      if (fault.ids.length < SHOWN_IDS) fault.ids.push(id)
    }
  }
}
