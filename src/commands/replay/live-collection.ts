import type { Command } from 'commander'
import { badRequest } from '../../core/errors.ts'
import type { LiveCollection } from '../../evaluation/golden-set/collection-set.ts'
import { ADDRESS_KEY, ADDRESS_URL, type Address, addressOf, nonEmpty, urlOption } from '../option-values.ts'

export interface LiveOptions extends Address {
  collection?: string
}

/** Opens a collection for reading; without a URL on the configured server. */
export type OpenLiveCollection = (
  where: Address & { collection: string },
) => Promise<LiveCollection & { close(): Promise<void> }>

/** Adds the options that name a collection on a server. @param meaning what the command does with the collection */
export function addLiveOptions(command: Command, meaning: string): Command {
  return command
    .option('--collection <name>', meaning, nonEmpty)
    .option('--url <url>', ADDRESS_URL, urlOption)
    .option('--api-key <key>', ADDRESS_KEY)
}

/** Opens the collection of the options and closes it after the work; `live` is null without one. @throws StowageError `bad_request` */
export async function withLiveCollection<Result>(
  options: LiveOptions,
  open: OpenLiveCollection,
  work: (live: LiveCollection | null) => Promise<Result>,
): Promise<Result> {
  const { url, collection } = options
  if (collection === undefined) {
    if (url !== undefined) throw badRequest('--url needs --collection, the collection to ask')
    return work(null)
  }
  const live = await open({ ...addressOf(options), collection })
  try {
    return await work(live)
  } finally {
    await live.close()
  }
}
