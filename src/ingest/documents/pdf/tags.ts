import type { PdfPage } from './open-pdf.ts'
import type { TableCell, Tag } from './page-text.ts'
import { cellsOf, type TagNode } from './tables/tagged-cells.ts'

/** Elements that hold one block of text. */
const BLOCKS = /^(?:P|H[1-6]?|Title|LI|LBody|TD|TH|Caption|Note|TOCI|BlockQuote|Code)$/
const MOST_DEPTH = 200

/** The tags of the marked content of a page, by its id; empty when the file has none. Blocks have numbers that no other page has. */
export async function readTags(page: PdfPage, pageNumber: number): Promise<ReadonlyMap<string, Tag>> {
  const tree = (await page.getStructTree().catch(() => null)) as TagNode | null
  const tags = new Map<string, Tag>()
  // Blocks of a million content ids on a page are more than any page has.
  const outside = pageNumber * 1_000_000
  let blocks = outside
  let tables = 0
  const cells = new Map<TagNode, TableCell>()
  const visit = (node: TagNode, outer: Tag, depth: number): void => {
    if (node.type === 'content' && node.id !== undefined) tags.set(node.id, outer)
    if (depth > MOST_DEPTH) return
    const role = node.role ?? ''
    let tag = outer
    if (role === 'Table' && outer.cell === null)
      for (const [cell, place] of cellsOf(node, ++tables)) cells.set(cell, place)
    // Code in a paragraph is a part of it.
    if (BLOCKS.test(role) && (role !== 'Code' || outer.block === outside)) {
      // The body of an item is the item, and so is its first paragraph.
      const isInItem = outer.item === outer.block && /^(?:P|LBody)$/.test(role)
      const block = isInItem ? outer.block : ++blocks
      const level = role === 'Title' || role === 'H' ? 1 : Number(/^H([1-6])$/.exec(role)?.[1] ?? 0)
      tag = {
        ...outer,
        block,
        headingLevel: level,
        item: role === 'LI' ? block : outer.item,
        cell: cells.get(node) ?? outer.cell,
      }
    }
    for (const child of node.children ?? []) visit(child, tag, depth + 1)
  }
  if (tree) visit(tree, { block: outside, headingLevel: 0, item: null, cell: null }, 0)
  return tags
}
