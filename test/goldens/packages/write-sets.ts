import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PACKAGE_SETS = ['source-code', 'reference'] as const

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** Writes golden sets about files of the packages that `npm ci` installs: the questions are here, the documents there. @returns the folders */
export async function writePackageSets(target: string): Promise<string[]> {
  return Promise.all(PACKAGE_SETS.map(set => writeSet(set, target)))
}

async function writeSet(set: string, target: string): Promise<string> {
  const folder = join(target, set)
  await mkdir(folder, { recursive: true })
  const rows = (await readFile(join(HERE, set, 'documents.tsv'), 'utf8')).trimEnd().split('\n')
  const documents = rows.map(async row => {
    const [id = '', title = '', file = ''] = row.split('\t')
    const text = await readFile(join(PACKAGES, file), 'utf8')
    return JSON.stringify({ doc_id: id, title, text })
  })
  await writeFile(join(folder, 'corpus.jsonl'), `${(await Promise.all(documents)).join('\n')}\n`)
  await writeFile(join(folder, 'queries.jsonl'), await readFile(join(HERE, set, 'queries.jsonl')))
  return folder
}
