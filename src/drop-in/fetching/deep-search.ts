import { isRefusal, type Refusals } from '../../qdrant/refusals.ts'
import { NotImproved } from '../not-improved.ts'
import type { UnderstoodQuery } from '../query/understand.ts'
import { type SearchAnswer, searchLists, type UpstreamCall } from './upstream-search.ts'

interface Depths {
  /** For each query, the least number of hits that should be asked of each list. */
  wanted: readonly number[]
  /** The least number that will do. */
  least: number
  /** The collections where Qdrant allows no more than that. */
  shallow: Refusals
}

/**
 * Searches all lists, and with less depth where Qdrant refuses so many hits (strict mode) or their answer is too large to read.
 * @returns the answer, and the depths that it has
 * @throws NotImproved
 */
export async function searchDeep(
  queries: readonly UnderstoodQuery[],
  { wanted, least, shallow }: Depths,
  call: UpstreamCall,
  onAnswer: () => void,
): Promise<{ upstream: SearchAnswer; depths: readonly number[] }> {
  const { collection } = call.target
  const atLeast = wanted.map(depth => Math.min(depth, least))
  const depths = shallow.has(collection) ? atLeast : wanted
  const search = async (depths: readonly number[]) => ({
    upstream: await searchLists(queries, depths, call, onAnswer),
    depths,
  })
  try {
    return await search(depths)
  } catch (error) {
    const isLess = depths.some((depth, at) => depth > (atLeast[at] ?? 0))
    if (!isLess || !(error instanceof NotImproved && isTooMuch(error))) throw error
    const found = await search(atLeast)
    shallow.add(collection)
    return found
  }
}

function isTooMuch({ reason, status }: NotImproved): boolean {
  return reason === 'upstream_too_large' || isRefusal(status)
}
