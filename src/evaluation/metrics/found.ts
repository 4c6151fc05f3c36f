/** A gold passage counts as found when at least this share of its words is in the context. The page of a report uses it too. */
export const FOUND_SHARE = 0.9

/** Whether a gold passage counts as found. @param share of it in the context */
export function isFound(share: number): boolean {
  return share >= FOUND_SHARE
}
