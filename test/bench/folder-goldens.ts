import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Command } from 'commander'
import type { GoldPassage } from '../../src/evaluation/golden-set/evidence.ts'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { rawWords } from '../../src/text/terms/terms.ts'
import { finish } from './terminal.ts'

/*
 * Writes golden sets whose documents are told apart by their folders, because their titles are the same or do not say to what they belong:
 * one documentation in several versions, the documentation of several products, and agreements of one title.
 */
const program = new Command('folder-goldens').description('write golden sets whose folders tell documents apart')

program
  .command('versions')
  .description(
    'documentation in several versions: each question names a heading that all versions have, and one of them',
  )
  .argument('<target>', 'folder for the set')
  .argument('<version=folder...>', 'Markdown folders, such as v4=fastify-4/docs')
  .requiredOption('--name <name>', 'what questions call it, such as Fastify')
  .action(writeVersions)
program
  .command('products')
  .description(
    'golden sets as one, each in the folder of its product, which the questions name, with the first heading as title',
  )
  .argument('<target>', 'folder for the set')
  .argument('<product=folder...>', 'golden sets, such as Postfix=sets/postfix-doc')
  .option('--limit <n>', 'questions of each set', Number, 30)
  .option('--unnamed', 'leave the questions as they are')
  .action(writeProducts)
program
  .command('one-title')
  .description('a golden set with one title for all documents, each in a folder that is named after it')
  .argument('<target>', 'folder for the set')
  .argument('<set>', 'a golden set')
  .requiredOption('--title <title>', 'the title of all documents')
  .action(writeOneTitle)

interface Question {
  id: string
  query: string
  gold: { doc_id: string; start: number; end: number }[]
}

const HEADING = /^(#{1,5}) (.+)$/gmu
/** In UTF-16 code units. The text below a heading that is asked for; less is no answer, and more than this is not needed. */
const [LEAST, MOST] = [150, 500]
/** Share of common words above which two versions say the same. */
const SAME = 0.98

async function writeVersions(target: string, given: string[], { name }: { name: string }): Promise<void> {
  const versions = await Promise.all(
    given.map(async one => {
      const [version, folder] = splitOnce(one)
      return { version, files: await markdownIn(folder) }
    }),
  )
  const documents = versions.flatMap(({ version, files }) =>
    [...files].map(([file, text]) => documentOf(`docs/${version}/${file}`, firstHeading(text) ?? file, text)),
  )
  const forms = [
    (version: string) => `in ${name} ${version}`,
    (version: string) => `in ${name} ${version.slice(1)}`,
    (version: string) => `in version ${version.slice(1)}`,
  ]
  const changed = [...(versions[0]?.files.keys() ?? [])].sort().flatMap(file => {
    const sections = versions.map(({ version, files }) => ({ version, found: sectionsOf(files.get(file) ?? '') }))
    const headings = [...(sections[0]?.found.keys() ?? [])]
    return headings.flatMap(heading => {
      const same = sections.map(({ version, found }) => ({ version, section: found.get(heading) }))
      const texts = same.flatMap(({ section }) => section?.text ?? [])
      return texts.length === same.length && areDifferent(texts) ? [{ file, heading, same }] : []
    })
  })
  const questions = changed.flatMap(({ file, heading, same }, at) =>
    same.flatMap(({ version, section }, place): Question[] => {
      const asked = heading.replace(/[`*\\]|\(.*$/gu, '').trim()
      const form = forms[(at + place) % forms.length]
      if (section === undefined || form === undefined || asked.length < 4) return []
      const { start, text } = section
      const gold = { doc_id: `docs/${version}/${file}`, start, end: start + Math.min(text.length, MOST) }
      return [{ id: `${at}-${version}`, query: `${asked} ${form(version)}`, gold: [gold] }]
    }),
  )
  await write(target, documents, questions)
}

/** The text below each heading, with it. Headings that a text has twice are left out. */
function sectionsOf(text: string): Map<string, { start: number; text: string }> {
  const headings = [...text.matchAll(HEADING)].map(({ 2: name = '', index }) => ({ name: name.trim(), start: index }))
  const all = headings.map(({ name, start }, at) => ({ name, start, text: text.slice(start, headings[at + 1]?.start) }))
  const isOnce = (name: string) => all.filter(one => one.name === name).length === 1
  return new Map(
    all.filter(one => one.text.length >= LEAST && isOnce(one.name)).map(({ name, ...section }) => [name, section]),
  )
}

function areDifferent(texts: readonly string[]): boolean {
  const words = texts.map(text => new Set(rawWords(text)))
  return words.every((some, at) => words.slice(at + 1).every(others => shareOf(some, others) < SAME))
}

const shareOf = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...some].filter(word => others.has(word)).length / new Set([...some, ...others]).size

async function writeProducts(
  target: string,
  given: string[],
  { limit, unnamed = false }: { limit: number; unnamed?: boolean },
): Promise<void> {
  const documents: SourceDocument[] = []
  const questions: Question[] = []
  for (const [product, folder] of given.map(splitOnce)) {
    const set = await readGoldenSet(folder)
    const idOf = (docId: string) => `products/${product.toLowerCase()}/${basename(docId).replace(/\.html$/u, '.md')}`
    const ids = new Map(set.documents.map(({ docId }) => [idOf(docId), docId]))
    const kept = set.documents.filter(({ docId }) => ids.get(idOf(docId)) === docId)
    documents.push(...kept.map(({ docId, title, text }) => documentOf(idOf(docId), firstHeading(text) ?? title, text)))
    const isKept = new Set(kept.map(({ docId }) => docId))
    const answered = set.queries.filter(({ goldPassages }) =>
      goldPassages.every(({ place }) => isKept.has(place?.docId ?? '')),
    )
    for (const { id, query, goldPassages } of answered.slice(0, limit)) {
      const isNamed = unnamed || query.toLowerCase().includes(product.toLowerCase())
      const asked = isNamed ? query : named(query, product)
      questions.push({ id: `${product}-${id}`, query: asked, gold: goldIn(goldPassages, idOf) })
    }
  }
  await write(target, documents, questions)
}

const named = (query: string, product: string) => query.replace(/(\??)\s*$/u, ` in ${product}$1`)

async function writeOneTitle(target: string, folder: string, { title }: { title: string }): Promise<void> {
  const { documents, queries } = await readGoldenSet(folder)
  const idOf = (docId: string) => {
    const name = basename(docId)
      .replace(/\.[a-z]+$/iu, '')
      .toLowerCase()
    return `agreements/${name.replace(/%20|[^a-z0-9]+/gu, '-')}/agreement.md`
  }
  await write(
    target,
    documents.map(({ docId, text }) => documentOf(idOf(docId), title, text)),
    queries.map(({ id, query, goldPassages }) => ({ id, query, gold: goldIn(goldPassages, idOf) })),
  )
}

/** Gold passages by the ids of the new documents. */
const goldIn = (passages: readonly GoldPassage[], idOf: (docId: string) => string): Question['gold'] =>
  passages.flatMap(({ place }) =>
    place === null ? [] : { doc_id: idOf(place.docId), start: place.start, end: place.end },
  )

const documentOf = (docId: string, title: string, text: string): SourceDocument => ({ docId, title, text })

function firstHeading(text: string): string | null {
  const name = /^#{1,3} (?:\d[\d.]*\s+)?(.+)$/mu.exec(text)?.[1]?.replace(/[`*]/gu, '').trim() ?? ''
  return name === '' || name.length >= 120 ? null : name
}

/** The Markdown files below a folder, by their paths in it. */
async function markdownIn(folder: string): Promise<Map<string, string>> {
  const files = await readdir(folder, { recursive: true })
  const names = files.filter(file => file.endsWith('.md')).sort()
  return new Map(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

function splitOnce(given: string): [name: string, folder: string] {
  const at = given.indexOf('=')
  if (at < 1) throw new Error(`want NAME=FOLDER, got ${given}`)
  return [given.slice(0, at), given.slice(at + 1)]
}

async function write(target: string, documents: readonly SourceDocument[], questions: readonly Question[]) {
  await mkdir(target, { recursive: true })
  const rows = documents.map(({ docId, title, text }) => ({ doc_id: docId, title, text }))
  await writeFile(join(target, 'corpus.jsonl'), linesOf(rows))
  await writeFile(join(target, 'queries.jsonl'), linesOf(questions))
  console.log(`${target}: ${questions.length} questions on ${documents.length} documents`)
}

const linesOf = (rows: readonly object[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('')

await finish(program)
