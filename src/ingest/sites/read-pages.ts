import type { SkippedDocument, SourceDocument } from '../source-document.ts'
import { HOME, linksBetween, pageName } from './links.ts'
import { type SharedEdges, sharedEdges, withoutSharedEdges } from './shared-edges.ts'
import { siteFinder, spread } from './site-folders.ts'

type Page = SourceDocument | SkippedDocument
type ReadPage = (file: string) => Promise<Page>

/** Pages of a site that are compared. */
const SAMPLE = 20

/**
 * Reads pages of HTML without what most pages of the same site begin or end with: its name, its menus, where to ask for help. One page of each site keeps it, so that no text is lost: its home page, else the first one.
 *
 * @param files all pages of HTML below one folder, sorted
 * @param read reads one page; each page is read once, and some of a site before the first one of it
 */
export function pageReader(files: readonly string[], read: ReadPage): ReadPage {
  const findSite = siteFinder(files, linksBetween(files))
  const edges = new Map<readonly string[], Promise<SharedEdges>>()
  const early = new Map<string, Promise<Page>>()
  const readEarly = (file: string): Promise<Page> => {
    const page = early.get(file) ?? read(file)
    early.set(file, page)
    return page
  }
  return async file => {
    const site = await findSite(file)
    if (site.length === 0) return read(file)
    const found = edges.get(site) ?? edgesOf(spread(site, SAMPLE), readEarly)
    edges.set(site, found)
    const shared = await found
    const page = await (early.get(file) ?? read(file))
    early.delete(file)
    const isShortened = 'text' in page && !page.isPlain && file !== homeOf(site)
    return isShortened ? { ...page, text: withoutSharedEdges(page.text, shared) } : page
  }
}

function homeOf(site: readonly string[]): string | undefined {
  return site.find(page => HOME.test(pageName(page))) ?? site[0]
}

async function edgesOf(sample: readonly string[], read: ReadPage): Promise<SharedEdges> {
  const texts: string[] = []
  // One at a time, as the converter wants it.
  for (const file of sample) {
    const page = await read(file)
    if ('text' in page && !page.isPlain) texts.push(page.text)
  }
  return sharedEdges(texts)
}
