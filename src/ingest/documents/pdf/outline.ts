import type { Pdf } from './open-pdf.ts'

/** An entry of the outline, in the order of the document. */
export interface OutlineEntry {
  title: string
  /** From 1. */
  level: number
  /** Index of the page; null when its target cannot be found. */
  page: number | null
}

type Node = NonNullable<Awaited<ReturnType<Pdf['getOutline']>>>[number]

/** Entries that are read; a hostile outline may have any number. */
const MOST_ENTRIES = 20_000

/** The entries of the outline (bookmarks) in the order of the document; empty without one. */
export async function readOutline(pdf: Pdf): Promise<OutlineEntry[]> {
  const nodes = await pdf.getOutline().catch(() => null)
  const open = (nodes ?? []).map(node => ({ node, level: 1 })).reverse()
  const entries: OutlineEntry[] = []
  for (let next = open.pop(); next && entries.length < MOST_ENTRIES; next = open.pop()) {
    const { node, level } = next
    entries.push({ title: node.title, level, page: await pageOf(pdf, node.dest).catch(() => null) })
    open.push(...node.items.map((item: Node) => ({ node: item, level: level + 1 })).reverse())
  }
  return entries
}

async function pageOf(pdf: Pdf, target: Node['dest']): Promise<number | null> {
  const destination = typeof target === 'string' ? await pdf.getDestination(target) : target
  const [page] = destination ?? []
  if (Number.isInteger(page)) return page
  return page !== null && typeof page === 'object' ? await pdf.getPageIndex(page) : null
}
