import type { Trace } from '../../pipeline/trace/schema.ts'
import { jaccard } from '../../text/similarity.ts'

/** Jaccard index of the chunks that two runs packed, in [0,1]; null when neither packed any. */
export function overlapOf(one: Pick<Trace, 'candidates'>, other: Pick<Trace, 'candidates'>): number | null {
  return jaccard(packedKeys(one), packedKeys(other))
}

function packedKeys({ candidates }: Pick<Trace, 'candidates'>): Set<string> {
  const packed = candidates.filter(({ decision }) => decision === 'packed')
  return new Set(packed.map(({ collection, id }) => `${collection}/${typeof id} ${id}`))
}
