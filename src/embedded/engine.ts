import { type Aliases, changedAliases } from './aliases.ts'
import { EngineError, notFound, wrongInput } from './errors.ts'
import { Pace } from './pace.ts'
import { Collection } from './storage/collection.ts'
import { changedConfig } from './storage/config.ts'
import { type Change, changeLine } from './storage/log-lines.ts'
import { checkCreation } from './storage/parameters.ts'
import { checkRequest, findUpdate, MAXIMUM_BATCH } from './updates/updates.ts'
import { readBoundedList, readRecord } from './wire/shape.ts'

/** UTF-16 units of a collection's name. */
export const MAXIMUM_NAME_LENGTH = 255

/** A write that has been checked and not yet been made. */
interface CheckedChange {
  line(): string
  /** Makes the change, which cannot fail. Returns the operation number. */
  commit(): Promise<number>
}

/**
 * Collections in memory. It does no I/O: `log` receives each change after it is checked and before it is made. When `log`
 * throws, nothing is changed. Writes are made one after the other; reads may run between the slices of a write.
 */
export class Engine {
  readonly collections = new Map<string, Collection>()
  aliases: Aliases = new Map()
  private readonly log: (line: () => string) => void
  private lastWrite: Promise<unknown> = Promise.resolve()

  constructor(log: (line: () => string) => void = () => {}) {
    this.log = log
  }

  /** Finds a collection by its name or an alias. @throws EngineError 404 */
  collection(name: string): Collection {
    checkName(name)
    const collection = this.collections.get(this.resolve(name))
    if (collection === undefined) throw notFound(`Collection \`${name}\` doesn't exist!`)
    return collection
  }

  /** The name of the collection behind an alias; any other name as it is. */
  resolve(name: string): string {
    return this.aliases.get(name) ?? name
  }

  async createCollection(name: string, body: unknown): Promise<void> {
    if (!this.collections.has(name)) checkCreation(body)
    await this.write({ kind: 'create_collection', collection: name, body })
  }

  /** Returns false when the collection does not exist. */
  async deleteCollection(name: string): Promise<boolean> {
    if (!this.collections.has(name)) return false
    return (await this.write({ kind: 'delete_collection', collection: name, body: null })) === 1
  }

  /** Changes parameters that change no answer. @throws EngineError 404, 400/422 on faulty ones */
  async updateCollection(name: string, body: unknown): Promise<void> {
    await this.write({ kind: 'update_collection', collection: name, body })
  }

  async updateAliases(body: unknown): Promise<void> {
    await this.write({ kind: 'update_aliases', collection: '', body })
  }

  /** Writes to points or payload indexes and returns the operation number. */
  async update(name: string, kind: string, body: unknown, pace?: Pace): Promise<number> {
    // Refuses the kinds that change collections, which a batch could name.
    findUpdate(kind)
    checkRequest(this.collection(name), kind, body)
    return this.write({ kind, collection: name, body }, pace)
  }

  /** Several writes in order. The writes before a faulty one stay. */
  async updateBatch(name: string, body: unknown, pace?: Pace): Promise<number[]> {
    this.collection(name)
    const done: number[] = []
    for (const operation of readBoundedList(readRecord(body, 'update batch').operations, 'operations', MAXIMUM_BATCH)) {
      const [kind, inner] = Object.entries(readRecord(operation, 'operation'))[0] ?? ['', {}]
      done.push(await this.update(name, kind, inner, pace))
    }
    return done
  }

  /** Makes a change without logging it. Returns the operation number. */
  async apply(change: Change): Promise<number> {
    return (await this.check(change, new Pace())).commit()
  }

  /** Resolves when no write is in progress. */
  async idle(): Promise<void> {
    await this.lastWrite
  }

  private write(change: Change, pace = new Pace()): Promise<number> {
    const operation = this.lastWrite.then(async () => {
      const { line, commit } = await this.check(change, pace)
      this.log(line)
      return commit()
    })
    this.lastWrite = operation.catch(() => {})
    return operation
  }

  /** @throws EngineError on a faulty change */
  private async check({ kind, collection: givenName, body }: Change, pace: Pace): Promise<CheckedChange> {
    const name = kind === 'create_collection' || kind === 'delete_collection' ? givenName : this.resolve(givenName)
    const line = () => changeLine({ kind, collection: name, body })
    const make = (change: () => unknown) => ({ line, commit: async () => Number(change()) })
    switch (kind) {
      case 'create_collection': {
        const collection = this.newCollection(name, body)
        return make(() => this.collections.set(name, collection).size)
      }
      case 'delete_collection':
        return make(() => this.removeCollection(name))
      case 'update_collection': {
        const collection = this.collection(name)
        const config = changedConfig(collection.config, readRecord(body, 'update collection'))
        return make(() => {
          collection.config = config
        })
      }
      case 'update_aliases': {
        const aliases = changedAliases(this.aliases, body, name => this.collections.has(name))
        return make(() => {
          this.aliases = aliases
        })
      }
      default:
        return this.checkUpdate(kind, name, body, pace)
    }
  }

  private async checkUpdate(kind: string, name: string, body: unknown, pace: Pace): Promise<CheckedChange> {
    const collection = this.collection(name)
    const update = await findUpdate(kind)(collection, readRecord(body, kind), collection.nextOperation, pace)
    return {
      line: () => update.line?.(name) ?? changeLine({ kind, collection: name, body: update.body ?? body }),
      commit: async () => {
        await update.commit()
        return collection.nextOperation++
      },
    }
  }

  private removeCollection(name: string): boolean {
    this.aliases = new Map([...this.aliases].filter(([, collection]) => collection !== name))
    return this.collections.delete(name)
  }

  private newCollection(name: string, body: unknown): Collection {
    if (this.collections.has(name)) throw new EngineError(409, `Wrong input: Collection \`${name}\` already exists!`)
    if (this.aliases.has(name))
      throw wrongInput(`Can't create collection with name ${name}. Alias with the same name already exists`)
    checkName(name)
    if (/[/\\:*?"<>|\0]/.test(name)) throw wrongInput(`Collection name \`${name}\` is not allowed`)
    return new Collection(readRecord(body, 'collection'))
  }
}

/** @throws EngineError 422 */
function checkName(name: string): void {
  if (name.length >= 1 && name.length <= MAXIMUM_NAME_LENGTH) return
  throw new EngineError(
    422,
    `Validation error in path parameters: [name: value "${name}" invalid, must be from 1 to ${MAXIMUM_NAME_LENGTH} characters]`,
  )
}
