import { EngineError, notFound, wrongInput } from './errors.ts'
import { Collection } from './storage/collection.ts'
import { readCollectionConfig } from './storage/collection-config.ts'
import { applyUpdate } from './updates.ts'
import { readList, readRecord } from './wire/shape.ts'

/** UTF-16 units of a collection's name. */
export const MAXIMUM_NAME_LENGTH = 255

/** One change of the engine's state, as it is applied and as it is logged. `kind` is a point update's name, or one of the two on collections. */
export interface Change {
  kind: string
  collection: string
  body: unknown
}

/**
 * Collections in memory, with every change going through `apply`. Pure of HTTP and of files: whoever wants durability
 * gives a `log` that is called after a change has been made and before its caller hears of it.
 */
export class Engine {
  private readonly collections = new Map<string, Collection>()
  private readonly log: (change: Change) => void

  constructor(log: (change: Change) => void = () => {}) {
    this.log = log
  }

  names(): string[] {
    return [...this.collections.keys()]
  }

  has(name: string): boolean {
    return this.collections.has(name)
  }

  /** @throws EngineError 404 */
  collection(name: string): Collection {
    const collection = this.collections.get(name)
    if (collection === undefined) throw notFound(`Collection \`${name}\` doesn't exist!`)
    return collection
  }

  createCollection(name: string, body: unknown): void {
    this.apply({ kind: 'create_collection', collection: name, body })
  }

  /** False when there was none. */
  deleteCollection(name: string): boolean {
    if (!this.collections.has(name)) return false
    this.apply({ kind: 'delete_collection', collection: name, body: null })
    return true
  }

  /** Applies a write on points or payload indexes and gives its operation number. */
  update(name: string, kind: string, body: unknown): number {
    return this.apply({ kind, collection: name, body })
  }

  /** `points/batch`: several writes in order; the ones before a faulty one stay. */
  updateBatch(name: string, body: unknown): number[] {
    this.collection(name)
    return readList(readRecord(body, 'update batch').operations, 'operations').map(operation => {
      const [kind, inner] = Object.entries(readRecord(operation, 'operation'))[0] ?? ['', {}]
      return this.update(name, kind, inner)
    })
  }

  private apply(change: Change): number {
    const operation = this.change(change)
    this.log(change)
    return operation
  }

  /** Makes a change without logging it: how a log is read back. */
  change({ kind, collection: name, body }: Change): number {
    if (kind === 'create_collection') {
      if (this.collections.has(name)) throw new EngineError(409, `Wrong input: Collection \`${name}\` already exists!`)
      if (name === '' || name.length > MAXIMUM_NAME_LENGTH || /[/\\:*?"<>|\0]/.test(name)) {
        throw wrongInput(`Collection name \`${name}\` is not allowed`)
      }
      this.collections.set(name, new Collection(readCollectionConfig(body)))
      return 0
    }
    if (kind === 'delete_collection') return this.collections.delete(name) ? 1 : 0
    return applyUpdate(this.collection(name), kind, body)
  }
}
