import { isDeepStrictEqual } from 'node:util'
import type { PointId } from '../../../../src/core/types.ts'
import { Engine } from '../../../../src/embedded/engine.ts'
import type { Collection } from '../../../../src/embedded/storage/collection.ts'
import { printJson } from '../../../../src/embedded/wire/json.ts'
import type { Vector } from '../../../../src/embedded/wire/vector.ts'

/** The tenant that sends the requests; bravo and charlie share its collections. */
export const CONDITION = { key: 'tenant', match: { value: 'acme' } }

export const SHARED = ['shared', 'archive']
/** A collection that only bravo has. */
export const PRIVATE = 'bravo-private'

/**
 * Texts that an answer can only have from others: they occur in ids, payloads, vectors or names of theirs, and acme writes none of them. The
 * bare names of the tenants are not among them, because acme may write them into fields of its own.
 */
export const CANARIES =
  /(?:bravo|charlie)-(?:secret|private|alias)|b0b0b0b0|c0c0c0c0|7310000\d|8420000\d|18446744073709551[0-5]|7131\.507|8242\.617|71000\d\d/gi

const uuid = (start: string, at: number) => `${start}-0000-4000-8000-${String(at).padStart(12, '0')}`

export const OWN_IDS: (number | string)[] = [1, 2, 3, 4, 5, 6, 7, 8, uuid('aaaaaaaa', 1), uuid('aaaaaaaa', 2)]
const BRAVO_IDS = [73100001, 73100002, 73100003, uuid('b0b0b0b0', 1), uuid('b0b0b0b0', 2)]
const CHARLIE_IDS = [84200001, 84200002, uuid('c0c0c0c0', 1)]
export const FOREIGN_IDS = [...BRAVO_IDS, ...CHARLIE_IDS]
/** The digits of a u64 of bravo that a double cannot hold. */
export const FOREIGN_U64 = '18446744073709551001'

interface Seed {
  id: number | string | bigint
  vector: { '': number[]; words: { indices: number[]; values: number[] } }
  payload: Record<string, unknown>
}

function seed(id: Seed['id'], tenant: string, at: number, own: { text: string; n: number; vector: number }): Seed {
  const words = { indices: [at % 5, 5 + (at % 7), 20 + at], values: [1, 2, own.vector] }
  return {
    id,
    vector: { '': [own.vector, at % 3, (at * 7) % 5, 1], words },
    payload: {
      tenant,
      text: `${own.text} ${at}`,
      n: own.n + at,
      color: ['red', 'green', 'blue'][at % 3],
      group: `${own.text}-group-${at % 2}`,
      tags: ['common', `${own.text}-tag`],
      items: [{ k: own.text, v: at }],
      nested: { tenant, deep: { text: own.text } },
    },
  }
}

/** Ids that acme has in one collection, and bravo in the other: who owns a point depends on where it is looked up. */
const BRAVOS_IN_ARCHIVE: readonly unknown[] = OWN_IDS.slice(0, 3)

function seeds(collection: string): Seed[] {
  const lost = collection === 'archive' ? BRAVOS_IN_ARCHIVE : []
  const bravo = { text: 'bravo-secret', n: 7_100_000, vector: 7131.5078125 }
  const charlie = { text: 'charlie-secret', n: 7_100_050, vector: 8242.6171875 }
  return [
    ...OWN_IDS.map((id, at) =>
      lost.includes(id)
        ? seed(id, 'bravo', at, bravo)
        : seed(id, 'acme', at, { text: 'acme-text', n: 10, vector: 2.5 }),
    ),
    ...[...BRAVO_IDS, BigInt(FOREIGN_U64)].map((id, at) => seed(id, 'bravo', at, bravo)),
    ...CHARLIE_IDS.map((id, at) => seed(id, 'charlie', at, charlie)),
  ]
}

const CONFIG = { vectors: { size: 4, distance: 'Dot' }, sparse_vectors: { words: {} } }
const INDEXES = { tenant: 'keyword', color: 'keyword', n: 'integer', text: 'text' }

async function fill(engine: Engine, collection: string, points: readonly Seed[]): Promise<void> {
  await engine.createCollection(collection, CONFIG)
  for (const [field_name, field_schema] of Object.entries(INDEXES))
    await engine.update(collection, 'create_index', { field_name, field_schema })
  await engine.update(collection, 'upsert', { points })
}

type Contents = Map<PointId, string>

const isOwn = ({ payload }: { payload: { tenant?: unknown } }) => payload.tenant === 'acme'

function contentsOf(
  collection: Collection,
  wanted: (point: { payload: Record<string, unknown> }) => boolean,
): Contents {
  const points = [...collection.inOrder()].filter(wanted)
  return new Map(
    points.map(({ id, payload }) => [
      id,
      `${printJson(payload)} ${printJson(Object.fromEntries(collection.vectorsOf(id)))}`,
    ]),
  )
}

export type World = Awaited<ReturnType<typeof openWorld>>

/**
 * One engine with the points of three tenants, and one with those of acme alone: what acme would see on collections of its own.
 * @param whole whether acme has collections for itself, beside a private one of bravo
 */
export async function openWorld(whole = false) {
  const isAcmes = whole ? () => true : isOwn
  let writes = 0
  const shared = new Engine(() => writes++)
  const alone = new Engine()
  for (const name of SHARED) {
    await fill(shared, name, whole ? seeds(name).filter(isOwn) : seeds(name))
    await fill(alone, name, seeds(name).filter(isOwn))
  }
  await fill(
    shared,
    PRIVATE,
    seeds(PRIVATE).filter(point => !isOwn(point)),
  )
  const aliases = (engine: Engine, all: Record<string, string>) =>
    engine.updateAliases({
      actions: Object.entries(all).map(([alias_name, collection_name]) => ({
        create_alias: { alias_name, collection_name },
      })),
    })
  await aliases(shared, { current: 'shared', 'bravo-alias': PRIVATE })
  await aliases(alone, { current: 'shared' })

  const names = [...SHARED, PRIVATE]
  const foreign = (name: string) => contentsOf(shared.collection(name), point => name === PRIVATE || !isAcmes(point))
  const before = new Map(names.map(name => [name, foreign(name)]))
  const seeded = new Map(names.map(name => [name, savePoints(shared.collection(name))]))
  const collectionsBefore = new Map(shared.collections)
  const aliasesBefore = shared.aliases
  /** Names, configurations and indexes of all collections, and the aliases. */
  const structure = () => {
    // The batch of the embedded engine, other than Qdrant's, can make indexes. On its own collections acme may.
    const indexesOf = (name: string, { indexes }: Collection) => (whole && name !== PRIVATE ? [] : [...indexes.keys()])
    const configs = [...shared.collections].map(([name, found]) => [name, found.config, indexesOf(name, found)])
    return printJson([configs, [...shared.aliases]])
  }
  const structureBefore = structure()

  return {
    shared,
    alone,
    /** How often anything was written to the shared engine. */
    writes: () => writes,
    /** What changed of the points of others, of the collections, or of the tenant field; null for nothing. */
    damage(): string | null {
      if (structure() !== structureBefore) return 'collections or aliases changed'
      const damaged = names.find(name => !isDeepStrictEqual(foreign(name), before.get(name)))
      return damaged === undefined ? null : `points of others changed in ${damaged}`
    },
    /** The own points of a collection in an engine, with the tenant field where it was left out. */
    own(engine: Engine, name: string): Contents {
      const stamped = [...engine.collection(name).inOrder()].map(({ id, payload }) => ({
        id,
        payload: { tenant: 'acme', ...payload },
      }))
      const collection = engine.collection(name)
      return new Map(
        stamped.filter(isAcmes).map(({ id, payload }) => {
          const sorted = Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)))
          return [id, `${printJson(sorted)} ${printJson(Object.fromEntries(collection.vectorsOf(id)))}`]
        }),
      )
    },
    /** Brings the points alone to what acme has in the shared collections. */
    mirror(): void {
      for (const name of SHARED) {
        const points = savePoints(shared.collection(name)).filter(isAcmes)
        loadPoints(alone.collection(name), points)
      }
    },
    /** Brings everything back to the start. */
    restore(): void {
      shared.aliases = aliasesBefore
      shared.collections.clear()
      for (const [name, collection] of collectionsBefore) {
        shared.collections.set(name, collection)
        collection.config = CONFIG
      }
      for (const { indexes } of [...shared.collections.values(), ...alone.collections.values()])
        for (const field of [...indexes.keys()]) if (!(field in INDEXES)) indexes.delete(field)
      for (const [name, points] of seeded) loadPoints(shared.collection(name), points)
      this.mirror()
    },
  }
}

interface SavedPoint {
  id: PointId
  payload: Record<string, unknown>
  version: number
  vectors: Map<string, Vector>
}

function savePoints(collection: Collection): SavedPoint[] {
  return [...collection.inOrder()].map(point => ({ ...point, vectors: collection.vectorsOf(point.id) }))
}

function loadPoints(collection: Collection, points: readonly SavedPoint[]): void {
  for (const { id } of [...collection.inOrder()]) collection.remove(id)
  for (const { vectors, ...point } of points) collection.put(point, vectors)
}
