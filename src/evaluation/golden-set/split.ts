import { sha256 } from '../../text/fingerprint.ts'

/** The halves of a golden set: values are chosen on `train` and judged on `test`. */
export const SPLITS = ['train', 'test'] as const
export type Split = (typeof SPLITS)[number]

/** Share of the queries that are for training, when nobody says another one. */
export const TRAIN_SHARE = 0.5

/** Hexadecimal digits of a hash that become its share: 52 bits, which a double holds exactly. */
const SHARE_DIGITS = 13

/**
 * The half of the set that a query belongs to. The field `split` decides; without it a hash of the id does, so the half of a query stays
 * when queries are added, removed or moved.
 * @param trainShare share of the queries that are for training, 0 to 1
 */
export function splitOf({ id, split }: { id: string; split: Split | null }, trainShare = TRAIN_SHARE): Split {
  if (split !== null) return split
  const share = Number.parseInt(sha256(id).slice(0, SHARE_DIGITS), 16) / 16 ** SHARE_DIGITS
  return share < trainShare ? 'train' : 'test'
}
