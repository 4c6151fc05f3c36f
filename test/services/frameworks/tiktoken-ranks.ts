import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import cl100k from 'js-tiktoken/ranks/cl100k_base'

/** tiktoken of Python loads the tokens from here, and keeps the file under the SHA-1 of the address. */
const ADDRESS = 'https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken'

/**
 * Writes the tokens of `cl100k_base`, as js-tiktoken has them, in the form of tiktoken for Python, which would otherwise load them from the
 * network. It checks them against their SHA-256. @returns the folder for `TIKTOKEN_CACHE_DIR`
 */
export async function writeTiktokenRanks(parent: string): Promise<string> {
  const folder = join(parent, 'tiktoken')
  await mkdir(folder, { recursive: true })
  const lines = cl100k.bpe_ranks.split('\n').flatMap(line => {
    const [, offset, ...tokens] = line.split(' ')
    return tokens.map((token, at) => `${token} ${Number(offset) + at}\n`)
  })
  await writeFile(join(folder, createHash('sha1').update(ADDRESS).digest('hex')), lines.join(''))
  return folder
}
