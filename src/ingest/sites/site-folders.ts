import { dirname } from 'node:path'
import { addTo, getOrInsert } from '../../core/collections.ts'
import type { FindLinks } from './links.ts'
import { LEAST_PAGES } from './shared-edges.ts'

/** Pages of a folder whose links are read. */
const SAMPLE = 10
/** Share of these pages that must have a link to another page, or to one outside of the folder. */
const LINKED = 0.5

/** Finds all pages of the site that a page belongs to; none when it belongs to no site. */
type FindSite = (file: string) => Promise<readonly string[]>

/**
 * A site is a folder of pages that have links to each other, and none to pages outside of it: letters and contracts have none. Of a folder whose pages lead to other folders, the site is the
 * folder around both, because pages in one part of a manual may share a text that is about this part.
 *
 * @param files all pages below one folder
 */
export function siteFinder(files: readonly string[], linksOf: FindLinks): FindSite {
  const folders = pagesByFolder(files)
  const sites = new Map<string, Promise<readonly string[]>>()
  const siteOf = (folder: string) => getOrInsert(sites, folder, () => findSite(folder))
  async function findSite(folder: string): Promise<readonly string[]> {
    const pages = folders.get(folder) ?? []
    const isAll = pages.length === files.length
    if (pages.length < LEAST_PAGES) return isAll ? [] : siteOf(dirname(folder))
    const links: ReadonlySet<string>[] = []
    // One at a time, because a page can be large.
    for (const page of spread(pages, SAMPLE)) links.push(await linksOf(page))
    const inside = new Set(pages)
    const isPart = hasMost(links, found => [...found].some(page => !inside.has(page)))
    if (isPart) return siteOf(dirname(folder))
    return hasMost(links, found => found.size > 0) ? pages : []
  }
  return file => siteOf(dirname(file))
}

function hasMost<T>(values: readonly T[], test: (value: T) => boolean): boolean {
  return values.filter(test).length >= LINKED * values.length
}

/** Values at equal distances, so that all parts of a list are among them. @param most at most so many */
export function spread<T>(values: readonly T[], most: number): T[] {
  const step = Math.max(1, values.length / most)
  return values.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function pagesByFolder(files: readonly string[]): ReadonlyMap<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const file of files)
    for (let folder = dirname(file), inner = ''; folder !== inner; inner = folder, folder = dirname(folder))
      addTo(folders, folder, file)
  return folders
}
