import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { percentDecoded } from '../../text/percent-decoded.ts'

/** Names that pages of every site have, so that a name alone does not tell which page is meant. */
export const HOME = /^(?:index|default|home)$/i

/** Finds the other pages that a page has links to, by their paths. */
export type FindLinks = (file: string) => Promise<ReadonlySet<string>>

/**
 * Links between the pages of a folder: relative ones by their paths, others by the name of their target when one page alone has it, because saved pages may keep the addresses of their
 * server. A page that cannot be read has no links.
 */
export function linksBetween(files: readonly string[]): FindLinks {
  const known = new Map(files.map(file => [resolve(file), file]))
  const byName = new Map<string, string | null>()
  for (const file of files) {
    const name = pageName(file)
    byName.set(name, byName.has(name) || HOME.test(name) ? null : file)
  }
  return async file => {
    const html = await readFile(file, 'utf8').catch(() => '')
    const found = new Set<string>()
    for (const [, written = ''] of html.matchAll(/\shref\s*=\s*["']?([^"'#?\s>]{1,300})/gi)) {
      // As file systems write it: `My%20page.html` is `My page.html`.
      const target = percentDecoded(written)
      const page = known.get(resolve(dirname(file), target)) ?? byName.get(pageName(target))
      if (page && page !== file) found.add(page)
    }
    return found
  }
}

export const pageName = (path: string): string => basename(path).replace(/\.html?$/i, '')
