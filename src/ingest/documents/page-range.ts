/**
 * The first and the last page of a chunk, counted from 1.
 * @param pages offset in the text where each page begins, ascending
 */
export function pageRange(
  pages: readonly number[],
  { charStart, charEnd }: { charStart: number; charEnd: number },
): { page_start: number; page_end: number } {
  const pageAt = (offset: number): number => Math.max(1, pages.findLastIndex(start => start <= offset) + 1)
  return { page_start: pageAt(charStart), page_end: pageAt(Math.max(charStart, charEnd - 1)) }
}
