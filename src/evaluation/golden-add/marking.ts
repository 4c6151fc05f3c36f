import { contentHash } from '../../text/fingerprint.ts'
import type { CollectionReader } from '../golden-set/collection-reader.ts'
import type { GoldenFolder } from './golden-files.ts'
import type { SeenQuestion } from './read-traces.ts'
import { candidatesText, questionText, type ShownCandidate, type Style } from './screen.ts'

/** The person who marks. */
export interface Marker {
  write(text: string): void
  /** The next line after this prompt; null when there are no more. */
  ask(prompt: string): Promise<string | null>
  style: Style
}

export interface MarkingResult {
  marked: number
  unanswerable: number
  skipped: number
  /** Questions that were not shown, or not decided. */
  left: number
}

/** Candidates that are shown at a time. */
const SHOWN = 10

/** Shows one question after the other and keeps each answer at once. Ends at the last question, at `q`, and at the end of the input. */
export async function markQuestions(
  questions: readonly SeenQuestion[],
  reader: CollectionReader,
  folder: GoldenFolder,
  marker: Marker,
): Promise<MarkingResult> {
  const decided: { kind: 'marked' | 'unanswerable' | 'skipped'; undo: () => Promise<void> }[] = []
  let at = 0
  for (let question = questions[at]; question; question = questions[at]) {
    marker.write(questionText(question, at + 1, questions.length, marker.style))
    const answer = await answerOf(await textsOf(question, reader), marker)
    if (answer.kind === 'quit') break
    if (answer.kind === 'back') {
      const last = decided.pop()
      await last?.undo()
      at = decided.length
      if (!last) marker.write('This is the first question.\n')
      continue
    }
    decided.push({ kind: kindOf(answer), undo: await keep(question, answer, folder) })
    at = decided.length
  }
  const count = (wanted: string) => decided.filter(({ kind }) => kind === wanted).length
  return {
    marked: count('marked'),
    unanswerable: count('unanswerable'),
    skipped: count('skipped'),
    left: questions.length - decided.length,
  }
}

type Decision =
  | { kind: 'golds'; golds: ShownCandidate[] }
  | { kind: 'text'; text: string }
  | { kind: 'none' }
  | { kind: 'skip' }

function kindOf({ kind }: Decision) {
  return kind === 'none' ? 'unanswerable' : kind === 'skip' ? 'skipped' : 'marked'
}

/** Asks until there is an answer that can be used. All golds have a text. */
async function answerOf(
  candidates: readonly ShownCandidate[],
  { write, ask, style }: Marker,
): Promise<Decision | { kind: 'quit' } | { kind: 'back' }> {
  let shown = Math.min(SHOWN, candidates.length)
  write(candidatesText(candidates.slice(0, shown), 0, candidates.length, style))
  for (;;) {
    const line = await ask('numbers, a, n, m, s, b, q or ? > ')
    if (line === null) return { kind: 'quit' }
    const answer = readAnswer(line, shown)
    if (answer.kind === 'unclear') write(`${answer.text}\n`)
    else if (answer.kind === 'help') write(HELP)
    else if (answer.kind === 'more') {
      const from = shown
      shown = Math.min(from + SHOWN, candidates.length)
      write(
        from === shown
          ? 'There are no more candidates.\n'
          : candidatesText(candidates.slice(from, shown), from, candidates.length, style),
      )
    } else if (answer.kind === 'text') {
      const text = await pastedText(ask)
      if (text !== '') return { kind: 'text', text }
      write('No text was given.\n')
    } else if (answer.kind === 'golds') {
      const golds = answer.numbers.flatMap(number => candidates[number - 1] ?? [])
      const gone = answer.numbers.filter((_, index) => golds[index]?.chunk === null)
      if (gone.length === 0) return { kind: 'golds', golds }
      write(`There is no text to mark in ${gone.join(', ')}.\n`)
    } else return answer
  }
}

/** A text may have several lines, and none of them is a command. */
async function pastedText(ask: Marker['ask']): Promise<string> {
  const lines: string[] = []
  for (;;) {
    const line = await ask(lines.length === 0 ? 'paste the text; an empty line ends it > ' : '> ')
    if (line === null || line.trim() === '') return lines.join('\n').trim()
    lines.push(line)
  }
}

/** Writes the answer, and returns how to take it back. */
function keep(
  { key, query, tenant, intent }: SeenQuestion,
  answer: Decision,
  folder: GoldenFolder,
): Promise<() => Promise<void>> {
  const row = {
    id: `trace-${contentHash(key).slice(0, 12)}`,
    query,
    ...(tenant && { tenant }),
    ...(intent && { intent }),
  }
  if (answer.kind === 'skip') return Promise.resolve(async () => {})
  if (answer.kind === 'none') return folder.addUnanswerable({ ...row, unanswerable: true })
  const gold =
    answer.kind === 'text'
      ? [{ text: answer.text }]
      : answer.golds.map(({ id, chunk }) => ({ point_id: id, text: chunk?.text ?? '' }))
  return folder.addQuery({ ...row, gold })
}

async function textsOf({ candidates }: SeenQuestion, reader: CollectionReader): Promise<ShownCandidate[]> {
  const among = candidates.filter(({ collection }) => collection === reader.collection)
  const found = await reader.points(among.map(({ id }) => id))
  return among.map(candidate => {
    const chunk = found.get(String(candidate.id)) ?? null
    return { ...candidate, chunk: chunk && chunk.text.trim() !== '' ? chunk : null }
  })
}

const HELP = `
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
type Answer =
  | { kind: 'golds'; numbers: number[] }
  | { kind: 'unclear'; text: string }
  | (typeof COMMANDS)[keyof typeof COMMANDS]

/** Reads one line. @param shown number of candidates on the screen */
function readAnswer(line: string, shown: number): Answer {
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
