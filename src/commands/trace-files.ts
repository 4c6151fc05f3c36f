import { existsSync, statSync } from 'node:fs'
import { badRequest } from '../core/errors.ts'

/** Files of traces with their rotated ones, the oldest first, and their sizes. @throws StowageError `bad_request` when one is missing */
export function traceFiles(named: readonly string[]): { path: string; bytes: number }[] {
  return [...new Set(named.flatMap(withRotated))].map(path => ({ path, bytes: sizeOf(path) }))
}

export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Decodes UTF-8 whose characters may be cut by the ends of chunks. */
export async function* decoded(chunks: Pieces): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function withRotated(path: string): string[] {
  const rotated: string[] = []
  for (let age = 1; existsSync(`${path}.${age}`); age++) rotated.unshift(`${path}.${age}`)
  return [...rotated, path]
}

function sizeOf(path: string): number {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts?.isFile()) return facts.size
  throw badRequest(`${path}: ${facts ? 'is not a file' : 'there is no such file'}`)
}
