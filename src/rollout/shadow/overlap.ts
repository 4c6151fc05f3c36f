import type { Trace } from '../../pipeline/trace/schema.ts'

/** Jaccard index of the chunks that two runs packed, in [0,1]; null when neither packed any. */
export function overlapOf(one: Pick<Trace, 'candidates'>, other: Pick<Trace, 'candidates'>): number | null {
  const [ours, theirs] = [packedKeys(one), packedKeys(other)]
  const common = [...ours].filter(key => theirs.has(key)).length
  const all = ours.size + theirs.size - common
  return all === 0 ? null : common / all
}

function packedKeys({ candidates }: Pick<Trace, 'candidates'>): Set<string> {
  const packed = candidates.filter(({ decision }) => decision === 'packed')
  return new Set(packed.map(({ collection, id }) => `${collection}/${typeof id} ${id}`))
}
