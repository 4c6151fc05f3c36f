import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { loadConfig } from '../../src/config.ts'
import { batchesOf } from '../../src/core/collections.ts'
import type { Embedder } from '../../src/core/ports.ts'
import { type GoldenSet, readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { openModels } from '../../src/wiring/models.ts'
import { langchainChunks } from './langchain-chunks.ts'
import { count, finish, progressLine } from './terminal.ts'

/*
 * Makes a collection as LangChain fills it out of golden sets, and the questions for a replay on it. Its splitter cuts the documents by
 * characters; a point has one vector, the text and the source, so there are no titles, sections, places or keywords. The points of each set are told apart by a
 * filter, so one collection and one replay hold all sets.
 */
const BATCH = 64

interface Flags {
  url: string
  collection: string
  chunkSize: number
  chunkOverlap: number
}

const program = new Command('framework-goldens')
  .description(
    'fill a collection with golden sets as LangChain does, and write their questions for `stowage replay --collection`',
  )
  .argument('<target>', 'folder for the questions, one folder in it for each set')
  .argument('<set...>', 'folders of golden sets')
  .requiredOption('--url <url>', 'address of a Qdrant, or of a stowage with the embedded engine')
  .option('--collection <name>', 'the collection, which is made anew', 'framework')
  .option('--chunk-size <characters>', 'most characters of a chunk', count, 1000)
  .option('--chunk-overlap <characters>', 'characters that neighbours share', count, 200)
  .action(run)

async function run(target: string, folders: string[], flags: Flags): Promise<void> {
  const sets = await Promise.all(folders.map(readGoldenSet))
  const models = await openModels(loadConfig(), { wanted: { embedder: true, reranker: false } })
  try {
    if (models.embedder === null) throw new Error('EMBEDDER=none: the points need vectors')
    const place = new URL(`/collections/${encodeURIComponent(flags.collection)}`, flags.url)
    await send('DELETE', place)
    await send('PUT', place, { vectors: { size: models.embedder.dimensions, distance: 'Cosine' } })
    await send('PUT', new URL(`${place.pathname}/index?wait=true`, place), {
      field_name: 'metadata.set',
      field_schema: 'keyword',
    })
    for (const set of sets) {
      await fill(set, place, models.embedder, flags)
      await writeQuestions(set, join(target, set.name))
    }
  } finally {
    await models.close()
  }
  const asked = sets.map(({ name }) => join(target, name)).join(' ')
  console.log(`npx stowage replay ${asked} --url ${flags.url} --collection ${flags.collection} --arms topk,measured`)
}

async function fill(set: GoldenSet, place: URL, embedder: Embedder, { chunkSize, chunkOverlap }: Flags): Promise<void> {
  const chunks = await langchainChunks(set, chunkSize, chunkOverlap)
  const progress = progressLine(process.stderr, `${set.name}: chunks`)
  let done = 0
  for (const batch of batchesOf(chunks, BATCH)) {
    const vectors = await embedder.embedPassages(batch.map(({ pageContent }) => pageContent))
    const points = batch.map(({ pageContent, metadata }, at) => ({
      id: randomUUID(),
      vector: [...(vectors[at] ?? [])],
      payload: { content: pageContent, metadata },
    }))
    await send('PUT', new URL(`${place.pathname}/points?wait=true`, place), { points })
    done += batch.length
    progress(done, chunks.length)
  }
}

/** Gold passages by their text, because the points do not know where they stand. */
async function writeQuestions({ name, queries }: GoldenSet, folder: string): Promise<void> {
  const filter = { must: [{ key: 'metadata.set', match: { value: name } }] }
  const rows = queries.map(({ id, query, goldPassages }) => ({
    id,
    query,
    filter,
    gold: goldPassages.map(({ text }) => ({ text })),
  }))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'queries.jsonl'), `${rows.map(row => JSON.stringify(row)).join('\n')}\n`)
}

async function send(method: string, url: URL, body?: object): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(process.env.QDRANT_API_KEY && { 'api-key': process.env.QDRANT_API_KEY }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url.pathname}: ${response.status} ${await response.text()}`)
}

await finish(program)
