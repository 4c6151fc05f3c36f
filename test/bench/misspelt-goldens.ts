import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DEFAULT_SEED, seededRandom } from '../../src/statistics/seeded-random.ts'
import { ENGLISH_STOP_WORDS } from '../../src/text/terms/stop-words.ts'

/*
 * Writes golden sets with a misspelt word in each question: `npx tsx test/bench/misspelt-goldens.ts TARGET SET…`. Replay them beside the
 * sets as they are. One word of five letters or more gets one slip behind its first letter: two neighbours swapped, a letter left
 * out, doubled, or replaced by its neighbour on the keyboard. A question without such a word stays.
 */
const [target, ...sets] = process.argv.slice(2)
if (target === undefined || sets.length === 0) {
  console.error('usage: npx tsx test/bench/misspelt-goldens.ts TARGET SET…')
  process.exit(2)
}

const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

function keyBeside(letter: string): string {
  const row = KEYBOARD.find(keys => keys.includes(letter)) ?? 'e'
  const at = row.indexOf(letter)
  return row[at + 1] ?? row[at - 1] ?? letter
}

function misspelt(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2))
  const [before, letter, next, rest] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)]
  const slips = [
    before + next + letter + rest,
    before + next + rest,
    before + letter + letter + next + rest,
    before + keyBeside(letter.toLowerCase()) + next + rest,
  ]
  return slips[Math.floor(random() * slips.length)] ?? word
}

function misspeltQuestion(question: string, random: () => number): string {
  const words = [...question.matchAll(/[A-Za-z]{5,}/g)].filter(([word]) => !ENGLISH_STOP_WORDS.has(word.toLowerCase()))
  const chosen = words[Math.floor(random() * words.length)]
  if (chosen === undefined) return question
  const [word] = chosen
  return question.slice(0, chosen.index) + misspelt(word, random) + question.slice(chosen.index + word.length)
}

for (const set of sets) {
  const folder = join(target, basename(set))
  const random = seededRandom(DEFAULT_SEED)
  await mkdir(folder, { recursive: true })
  await cp(set, folder, { recursive: true })
  const lines = (await readFile(join(set, 'queries.jsonl'), 'utf8')).trimEnd().split('\n')
  const changed = lines.map(line => {
    const row = JSON.parse(line)
    return { ...row, query: misspeltQuestion(row.query, random) }
  })
  await writeFile(join(folder, 'queries.jsonl'), `${changed.map(row => JSON.stringify(row)).join('\n')}\n`)
  console.log(`${folder}: ${changed.length} questions`)
}
