import Table from 'cli-table3'

/** No rules between the rows. */
export const LIMITED_RULES = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' }

/** A table for terminals: the first column left, the others right. */
export function newTable(head: string[], chars: Partial<typeof LIMITED_RULES> = {}) {
  return new Table({
    head,
    chars,
    style: { head: [], border: [] },
    colAligns: ['left', ...head.slice(1).map(() => 'right' as const)],
  })
}
