import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countOf } from '../../src/core/collections.ts'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { rawWords } from '../../src/text/terms/terms.ts'

/*
 * Writes golden sets in whose questions a compound stands as two words, "roll back" for "rollback": `npx tsx test/bench/split-goldens.ts TARGET SET…`. A compound is a word
 * of which the documents have both parts as words too, each at least five times. Questions without one are left out.
 */
const [target, ...sets] = process.argv.slice(2)
if (target === undefined || sets.length === 0) {
  console.error('usage: npx tsx test/bench/split-goldens.ts TARGET SET…')
  process.exit(2)
}

const FEWEST_USES = 5
const SHORTEST_PART = 3

function splitOf(word: string, uses: ReadonlyMap<string, number>): string | null {
  const cuts = Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)] as const)
  const scored = cuts
    .filter(parts => parts.every(part => part.length >= SHORTEST_PART))
    .map(parts => ({ parts, least: Math.min(...parts.map(part => uses.get(part.toLowerCase()) ?? 0)) }))
    .filter(({ least }) => least >= FEWEST_USES)
    .sort((a, b) => b.least - a.least)
  return scored[0]?.parts.join(' ') ?? null
}

function splitQuestion(question: string, uses: ReadonlyMap<string, number>): string | null {
  for (const { 0: word, index } of question.matchAll(/(?<![\w.-])[A-Za-z]{6,}(?![\w.-])/g)) {
    const split = splitOf(word, uses)
    if (split !== null) return question.slice(0, index) + split + question.slice(index + word.length)
  }
  return null
}

for (const set of sets) {
  const { name, documents } = await readGoldenSet(set)
  const uses = countOf(documents.flatMap(({ text }) => rawWords(text)))
  const folder = join(target, name)
  await mkdir(folder, { recursive: true })
  await cp(set, folder, { recursive: true })
  const lines = (await readFile(join(set, 'queries.jsonl'), 'utf8')).trimEnd().split('\n')
  const rows = lines.flatMap(line => {
    const row = JSON.parse(line)
    const query = splitQuestion(row.query, uses)
    return query === null ? [] : [{ ...row, query }]
  })
  await writeFile(join(folder, 'queries.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  console.log(`${folder}: ${rows.length} questions`)
}
