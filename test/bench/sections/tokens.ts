import { getEncoding } from 'js-tiktoken'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import type { BenchSection } from '../bench-report.ts'
import { type Contender, millisecondsOf, sideBySide } from '../side-by-side.ts'
import { readIsharoth, readSources, tokenizer } from '../world.ts'

const ROUNDS = 7
const CHARACTERS = 400_000
const LETTERS = 10_000

/** Our guarded count beside the library it stands on, in tokens a second and on the input that stalls the library. */
export async function tokensPerSecond(): Promise<BenchSection> {
  const library = getEncoding('o200k_base')
  const counters = [
    { label: 'js-tiktoken encode', count: (text: string) => library.encode(text, [], []).length },
    { label: 'stowage count', count: (text: string) => tokenizer.count(text) },
  ]
  const prose = (await readIsharoth()).documents.map(({ text }) => text)
  const fast = (texts: readonly string[]) =>
    sideBySide(
      counters.map(({ label, count }) => rate(label, texts, count)),
      { rounds: ROUNDS, warmups: 2 },
    )
  const slow = counters.map(
    ({ label, count }): Contender => ({
      label,
      run: async round => ({ ms: await millisecondsOf(() => count(letterOf(round).repeat(LETTERS))) }),
    }),
  )
  return {
    name: 'tokens',
    title: 'counting tokens, o200k_base',
    tables: [
      { title: 'English prose (goldens/isharoth)', rows: await fast(prose) },
      { title: 'code (src)', rows: await fast(readSources()) },
      { title: `${LETTERS} times one letter`, rows: await sideBySide(slow, { rounds: 1, warmups: 0 }) },
    ],
    notes: [
      `Each round counts ${CHARACTERS / 1000} kB of lines in an order never seen before, text by text of about 1 kB: no text is in a cache. The cache of words and other pieces, which is part of how stowage counts, is warm after two rounds.`,
      'Both are given the same texts; the tokens column shows that they agree.',
    ],
  }
}

/** Lines of the texts in a new order each round, in texts of about 1 kB; both contenders get the same. */
function rate(label: string, texts: readonly string[], count: (text: string) => number): Contender {
  const lines = texts.join('\n').split('\n')
  return {
    label,
    run: async round => {
      const fresh = shuffledTexts(lines, round)
      let tokens = 0
      const ms = await millisecondsOf(() => {
        for (const text of fresh) tokens += count(text)
      })
      return { 'tokens/s': (1000 * tokens) / ms, tokens }
    },
  }
}

function shuffledTexts(lines: readonly string[], seed: number): string[] {
  const random = seededRandom(seed)
  const texts: string[] = []
  let text = `round ${seed}`
  for (let length = 0; length < CHARACTERS; ) {
    const line = lines[Math.floor(random() * lines.length)] ?? ''
    length += line.length + 1
    text += `\n${line}`
    if (text.length < 1000) continue
    texts.push(text)
    text = ''
  }
  return texts
}

function letterOf(round: number): string {
  return 'kqxzjvwy'[round % 8] ?? 'k'
}
