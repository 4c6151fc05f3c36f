import type { Trace } from '../../pipeline/trace/schema.ts'

/** Jaccard index of the chunks that two runs packed, in [0,1]; null when neither packed any. */
export function overlapOf(one: Pick<Trace, 'candidates'>, other: Pick<Trace, 'candidates'>): number | null {
  return jaccard(packedKeys(one), packedKeys(other))
}

/** Size of the intersection over the size of the union; null for two empty sets. */
export function jaccard(ours: ReadonlySet<string>, theirs: ReadonlySet<string>): number | null {
  const common = [...ours].filter(key => theirs.has(key)).length
  const all = ours.size + theirs.size - common
  return all === 0 ? null : common / all
}

function packedKeys({ candidates }: Pick<Trace, 'candidates'>): Set<string> {
  const packed = candidates.filter(({ decision }) => decision === 'packed')
  return new Set(packed.map(({ collection, id }) => `${collection}/${typeof id} ${id}`))
}
