import { getOrInsert } from '../../core/collections.ts'
import type { SkippedDocument, SourceDocument } from '../source-document.ts'
import { blocksOf } from './blocks.ts'
import { HOME, linksBetween, pageName } from './links.ts'
import { type SharedEdges, sharedEdges, withoutSharedEdges } from './shared-edges.ts'
import { siteFinder, spread } from './site-folders.ts'

type Page = SourceDocument | SkippedDocument
type ReadPage = (file: string) => Promise<Page>

/** Pages of a site that are compared. */
const SAMPLE = 20

interface Site {
  shared: SharedEdges
  /** The pages that keep what is shared. */
  keepers: ReadonlySet<string>
}

/**
 * Reads pages of HTML without what most pages of the same site begin or end with: its name, its menus, where to ask for help. One page keeps each of these blocks, so that no text is lost: the
 * home page of the site, else the first page that was compared and has it.
 *
 * @param files all pages of HTML below one folder, sorted
 * @param read reads one page; each page is read once, and some of a site before the first one of it
 */
export function pageReader(files: readonly string[], read: ReadPage): ReadPage {
  const findSite = siteFinder(files, linksBetween(files))
  const sites = new Map<readonly string[], Promise<Site>>()
  const early = new Map<string, Promise<Page>>()
  const readEarly = (file: string) => getOrInsert(early, file, () => read(file))
  return async file => {
    const pages = await findSite(file)
    if (pages.length === 0) return read(file)
    const { shared, keepers } = await getOrInsert(sites, pages, () => comparePages(pages, readEarly))
    const page = await (early.get(file) ?? read(file))
    early.delete(file)
    const isShortened = 'text' in page && !page.isPlain && !keepers.has(file)
    return isShortened ? { ...page, text: withoutSharedEdges(page.text, shared) } : page
  }
}

/** The home page of a site, at the top where folders have home pages, too; else the first page. */
function homeOf(pages: readonly string[]): string | undefined {
  const homes = pages.filter(page => HOME.test(pageName(page)))
  return homes.sort((one, other) => one.length - other.length)[0] ?? pages[0]
}

/** Compares some pages of a site, of which the home page is one. */
async function comparePages(pages: readonly string[], read: ReadPage): Promise<Site> {
  const home = homeOf(pages)
  const others = pages.filter(page => page !== home)
  const texts = new Map<string, string>()
  // One at a time, as the converter wants it.
  for (const file of [...(home ? [home] : []), ...spread(others, SAMPLE - 1)]) {
    const page = await read(file)
    if ('text' in page && !page.isPlain) texts.set(file, page.text)
  }
  const shared = sharedEdges([...texts.values()])
  return { shared, keepers: keepersOf(texts, shared) }
}

/** The pages that have a shared block which none before them has. @param texts by page, the home page first */
function keepersOf(texts: ReadonlyMap<string, string>, { head, tail }: SharedEdges): Set<string> {
  const wanted = new Set([...head, ...tail])
  const keepers = new Set<string>()
  for (const [page, text] of texts) for (const block of blocksOf(text)) if (wanted.delete(block.text)) keepers.add(page)
  return keepers
}
