import { StowageError } from '../../core/errors.ts'
import { type LiveCollection, readCollectionSet } from '../../evaluation/golden-set/collection-set.ts'
import type { GoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import type { LiveOptions } from './live-options.ts'

/** Opens a collection for reading; without a URL on the configured server. */
export type OpenLiveCollection = (address: {
  url?: string
  apiKey?: string
  collection: string
}) => Promise<LiveCollection & { close(): Promise<void> }>

/** Opens the collection of the options and closes it after the work; `live` is null without one. @throws StowageError `bad_request` */
export async function withLiveCollection<Result>(
  { url, apiKey, collection }: LiveOptions,
  open: OpenLiveCollection,
  work: (live: LiveCollection | null) => Promise<Result>,
): Promise<Result> {
  if (collection === undefined) {
    if (url !== undefined) throw new StowageError('bad_request', '--url needs --collection, the collection to ask')
    return work(null)
  }
  const live = await open({ ...(url && { url }), ...(apiKey && { apiKey }), collection })
  try {
    return await work(live)
  } finally {
    await live.close()
  }
}

/** Reads sets whose gold passages stand in a live collection. @throws StowageError */
export async function readLiveSets(paths: readonly string[], live: LiveCollection): Promise<GoldenSet[]> {
  const sets: GoldenSet[] = []
  for (const path of paths) sets.push(await readCollectionSet(path, live))
  return sets
}
