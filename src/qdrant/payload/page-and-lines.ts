import type { Chunk } from '../../core/types.ts'
import { asIndex, CONTAINERS, valueAt } from './value-at.ts'

/** Where loaders of PDF files note the page of a chunk. */
const PAGES = pathsOf('page', 'page_number', 'loc.pageNumber')
/** Where the splitters of LangChain for JavaScript note the lines of a chunk. */
const FIRST_LINES = pathsOf('loc.lines.from')
const LAST_LINES = pathsOf('loc.lines.to')

/** The page and the lines that a chunk is from, as far as the payload has them. */
export function pageAndLines(payload: unknown): Pick<Chunk, 'page' | 'lines'> {
  const [page, first, last] = [PAGES, FIRST_LINES, LAST_LINES].map(paths => firstIndex(payload, paths))
  return {
    ...(page !== undefined && { page }),
    ...(first !== undefined && last !== undefined && first <= last && { lines: { first, last } }),
  }
}

function firstIndex(payload: unknown, paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const index = asIndex(valueAt(payload, path))
    if (index !== null) return index
  }
  return undefined
}

function pathsOf(...names: string[]): string[] {
  return names.flatMap(name => [name, ...CONTAINERS.map(container => `${container}.${name}`)])
}
