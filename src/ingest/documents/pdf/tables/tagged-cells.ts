import type { TableCell } from '../page-text.ts'

/** A node of the tree of tags, as pdf.js gives it: an element with a role, or content with the id of its marks. */
export interface TagNode {
  role?: string
  children?: TagNode[]
  type?: string
  id?: string
}

const CELL = /^T[HD]$/
/** What stands in tables that only place text on a page. */
const LAYOUT = /^(?:Table|H[1-6]?|Title)$/
const MOST_DEPTH = 50

/** The cells of a table, or of the part of it that a page has, by their nodes; none when it only places headings and other tables on the page. */
export function cellsOf(table: TagNode, number: number): ReadonlyMap<TagNode, TableCell> {
  const rows = within(table, ({ role }) => role === 'TR').map(row => within(row, ({ role }) => CELL.test(role ?? '')))
  const cells = new Map<TagNode, TableCell>()
  if (rows.flat().some(cell => within(cell, ({ role }) => LAYOUT.test(role ?? '')).length > 0)) return cells
  for (const [row, nodes] of rows.entries()) {
    const isHead = nodes.every(({ role }) => role === 'TH')
    for (const [place, node] of nodes.entries()) cells.set(node, { table: number, row, place, isHead })
  }
  return cells
}

/** The outermost nodes below a node that fit, in order. */
function within(node: TagNode, fits: (node: TagNode) => boolean, depth = 0): TagNode[] {
  if (depth > MOST_DEPTH) return []
  return (node.children ?? []).flatMap(child => (fits(child) ? [child] : within(child, fits, depth + 1)))
}
