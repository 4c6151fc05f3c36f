export const HELP = `
  1 3   the passages 1 and 3 answer the question (each is a gold passage)
  a     paste a text that answers it, when no candidate does; an empty line ends it
  n     nothing in the documents answers it; it goes to unanswerable.jsonl
  m     show more candidates
  s     skip the question; it may be sampled again
  b     back: take the last answer away and ask again
  q     quit; every answer so far is kept
  ?     this help

`

const COMMANDS = {
  a: { kind: 'text' },
  n: { kind: 'none' },
  m: { kind: 'more' },
  s: { kind: 'skip' },
  b: { kind: 'back' },
  q: { kind: 'quit' },
  '?': { kind: 'help' },
} as const

/** What a person typed. */
export type Answer =
  | { kind: 'golds'; numbers: number[] }
  | { kind: 'unclear'; text: string }
  | (typeof COMMANDS)[keyof typeof COMMANDS]

/** Reads one line. @param shown number of candidates on the screen */
export function readAnswer(line: string, shown: number): Answer {
  const words = line
    .trim()
    .toLowerCase()
    .split(/[\s,]+/u)
  const [first = ''] = words
  if (words.length === 1 && Object.hasOwn(COMMANDS, first)) return COMMANDS[first as keyof typeof COMMANDS]
  if (first === '') return { kind: 'unclear', text: 'Type numbers or a letter; ? shows which.' }
  const wrong = words.find(word => !/^\d{1,6}$/u.test(word) || Number(word) < 1 || Number(word) > shown)
  if (wrong !== undefined) {
    const range = shown === 0 ? 'There are no candidates to choose' : `The numbers are 1 to ${shown}`
    return { kind: 'unclear', text: `${JSON.stringify(wrong)} is not understood. ${range}; ? shows the letters.` }
  }
  return { kind: 'golds', numbers: [...new Set(words.map(Number))] }
}
