import { EngineError, notFound, wrongInput } from './errors.ts'
import { Collection } from './storage/collection.ts'
import { applyUpdate, findUpdate } from './updates.ts'
import { readList, readRecord } from './wire/shape.ts'

/** UTF-16 units of a collection's name. */
export const MAXIMUM_NAME_LENGTH = 255

/** One write, as it is applied and logged. `kind` is `create_collection`, `delete_collection`, or an operation of `points/batch`. */
export interface Change {
  kind: string
  collection: string
  body: unknown
}

/** Collections in memory. It does no I/O: `log` receives each change after it is made and before it is answered. */
export class Engine {
  readonly collections = new Map<string, Collection>()
  private readonly log: (change: Change) => void

  constructor(log: (change: Change) => void = () => {}) {
    this.log = log
  }

  /** @throws EngineError 404 */
  collection(name: string): Collection {
    const collection = this.collections.get(name)
    if (collection === undefined) throw notFound(`Collection \`${name}\` doesn't exist!`)
    return collection
  }

  createCollection(name: string, body: unknown): void {
    this.write({ kind: 'create_collection', collection: name, body })
  }

  /** Returns false when the collection does not exist. */
  deleteCollection(name: string): boolean {
    if (!this.collections.has(name)) return false
    this.write({ kind: 'delete_collection', collection: name, body: null })
    return true
  }

  /** Writes to points or payload indexes and returns the operation number. */
  update(name: string, kind: string, body: unknown): number {
    // Refuses the kinds that change collections, which a batch could name.
    findUpdate(kind)
    return this.write({ kind, collection: name, body })
  }

  /** Several writes in order. The writes before a faulty one stay. */
  updateBatch(name: string, body: unknown): number[] {
    this.collection(name)
    return readList(readRecord(body, 'update batch').operations, 'operations').map(operation => {
      const [kind, inner] = Object.entries(readRecord(operation, 'operation'))[0] ?? ['', {}]
      return this.update(name, kind, inner)
    })
  }

  /** Makes a change without logging it. Returns the operation number. */
  apply({ kind, collection: name, body }: Change): number {
    if (kind === 'create_collection') return this.addCollection(name, body)
    if (kind === 'delete_collection') return Number(this.collections.delete(name))
    return applyUpdate(this.collection(name), kind, body)
  }

  private write(change: Change): number {
    const operation = this.apply(change)
    this.log(change)
    return operation
  }

  private addCollection(name: string, body: unknown): number {
    if (this.collections.has(name)) throw new EngineError(409, `Wrong input: Collection \`${name}\` already exists!`)
    if (name === '' || name.length > MAXIMUM_NAME_LENGTH || /[/\\:*?"<>|\0]/.test(name)) {
      throw wrongInput(`Collection name \`${name}\` is not allowed`)
    }
    this.collections.set(name, new Collection(readRecord(body, 'collection')))
    return 0
  }
}
