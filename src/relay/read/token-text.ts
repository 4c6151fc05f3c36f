import type { TiktokenEncoding } from 'js-tiktoken/lite'
import { encodingOf, loadRanks } from '../../text/tokens.ts'

/** The bytes of each token by its id, one character per byte. */
const tables: Partial<Record<TiktokenEncoding, readonly string[]>> = {}

/**
 * The text of token ids, as OpenAI's models of embeddings take them; null for a model whose encoding is not known, for an unknown id, and for
 * tokens that are no text in UTF-8. The table of an encoding is loaded at its first use and stays in memory (about 0.1 s and 10 MB).
 */
export function decodeTokens(model: string, ids: readonly number[]): string | null {
  // Gateways write the provider in front: `openai/text-embedding-3-small`.
  const name = model.split('/').at(-1) ?? ''
  const encoding = encodingOf(name) ?? (/^text-embedding-/i.test(name) ? 'cl100k_base' : null)
  if (encoding === null) return null
  tables[encoding] ??= tableOf(encoding)
  const table = tables[encoding]
  let bytes = ''
  for (const id of ids) {
    const token = table[id]
    if (token === undefined) return null
    bytes += token
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return null
  }
}

function tableOf(encoding: TiktokenEncoding): readonly string[] {
  const table: string[] = []
  for (const [bytes, rank] of loadRanks(encoding).ranks) table[rank] = bytes
  return table
}
