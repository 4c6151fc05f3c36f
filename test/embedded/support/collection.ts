import { Engine } from '../../../src/embedded/engine.ts'
import type { Collection } from '../../../src/embedded/storage/collection.ts'

/** An engine of its own with one collection, `c`. */
export async function collectionOf(schema: object): Promise<{ engine: Engine; collection: Collection }> {
  const engine = new Engine()
  await engine.createCollection('c', schema)
  return { engine, collection: engine.collection('c') }
}
