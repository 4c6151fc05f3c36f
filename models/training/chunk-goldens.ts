/**
 * Makes golden sets of the questions in `written/questions-of-chunks.tsv`: the files of a pool, and the parts of chunks that answer as gold passages. The reranker has learned them from 2.3.0 on,
 * but for pools that `domains.py` does not read.
 *
 * `python make.py domains` leaves the documents and the chunks.
 *
 * Usage: tsx chunk-goldens.ts WORK TARGET POOL…
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Passage {
  name: string
  doc: string
  title: string
  places: [start: number, end: number][]
}

const WRITTEN = fileURLToPath(new URL('written', import.meta.url))

const [work = '', target = '', ...pools] = process.argv.slice(2)
const questions = readFileSync(join(WRITTEN, 'questions-of-chunks.tsv'), 'utf8').trimEnd().split('\n')
for (const pool of pools) write(pool)

function write(pool: string): void {
  const invented = join(WRITTEN, 'documents', pool)
  const folder = existsSync(invented) ? invented : join(work, 'documents', pool)
  const passages = new Map(
    linesOf(join(work, 'cut', `${pool}.jsonl`)).map(line => {
      const passage = JSON.parse(line) as Passage
      return [passage.name, passage]
    }),
  )
  const rows = questions.flatMap((line, at) => {
    const [name = '', numbers = '', query = ''] = line.split('\t')
    const passage = passages.get(name)
    const answers = numbers.split(',').map(Number)
    return passage === undefined || answers[0] === 0 ? [] : [{ id: `q${at}`, query, gold: goldsOf(passage, answers) }]
  })
  const titles = new Map([...passages.values()].map(({ doc, title }) => [doc, title]))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => statSync(join(folder, file)).isFile())
  const documents = files.sort().map(file => {
    const text = readFileSync(join(folder, file), 'utf8')
    return { doc_id: file, title: titles.get(file) ?? file, text }
  })
  mkdirSync(join(target, pool), { recursive: true })
  for (const [name, all] of [['queries', rows], ['corpus', documents]] as const)
    writeFileSync(join(target, pool, `${name}.jsonl`), all.map(row => `${JSON.stringify(row)}\n`).join(''))
  console.log(`${pool}: ${rows.length} questions, ${documents.length} documents`)
}

/** Parts that follow each other are one gold passage. */
function goldsOf({ doc, places }: Passage, answers: readonly number[]) {
  const golds: { doc_id: string; start: number; end: number }[] = []
  for (const [start, end] of answers.flatMap(number => [places[number - 1] ?? []]).sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))) {
    if (start === undefined || end === undefined) continue
    const before = golds.at(-1)
    if (before && start - before.end <= 1) before.end = end
    else golds.push({ doc_id: doc, start, end })
  }
  return golds
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n')
}
