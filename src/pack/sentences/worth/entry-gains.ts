import { LONGEST_READ_QUESTION, prefixOf } from '../../../core/prefix.ts'
import type { Steps } from '../../../core/steps.ts'
import { inverseDocumentFrequency } from '../../../text/candidate-bm25.ts'
import { askedOptions, optionsOf } from '../../../text/names/command-options.ts'
import { markedName } from '../../../text/names/marked-name.ts'
import { settingNames } from '../../../text/names/setting-name.ts'
import { cellsOf } from '../../../text/sentences/table-row.ts'
import { terms } from '../../../text/terms/terms.ts'
import { type Analysis, analysisOf } from '../../../text/terms/word-terms.ts'
import type { MeasuredSentence } from '../measured.ts'
import { SENTENCES_PER_STEP } from '../units.ts'

/** What an entry gains for a name in the question, in logits per unit of idf. Chosen on two groups of golden sets, which agree (decision 105). */
const NAME_WEIGHT = 2
/** Longest name of an entry, in terms. */
const MOST_TERMS = 6

/**
 * What the entries for names in the question gain, in logits, by the place of the sentence: 2 · Σ idf(n, r) (`inverseDocumentFrequency`) over the names, where n is the number
 * of sentences, and r that of the entries for the name. The question has all terms of a name one after the other: "What does ISH-6109 mean?" names the first cell of
 * "| ISH-6109 | line stolen |". To a reranker, all rows of a table look alike. Entries are
 * - a row of a table, for each of its cells; the names of the columns gain nothing
 * - an item or another sentence that begins with the name in code or in bold
 * - a line of code that gives the name a value, where the code is cut
 * - a line that explains an option, which counts with its dashes
 *
 * Of a row that is cut, each part gains as much as the first one, which has the name. What stands below an entry gains with it.
 */
export function* entryGains(sentences: readonly MeasuredSentence[], text: string, query: string): Steps<number[]> {
  const analysis = analysisOf(text)
  const phrases = phrasesOf(query, analysis)
  const options = new Set(askedOptions(prefixOf(query, LONGEST_READ_QUESTION)))
  const named: string[][] = []
  const entries = new Map<string, number>()
  for (const [at, measured] of sentences.entries()) {
    const sentence = text.slice(measured.start, measured.end)
    const names = namesOf(measured, sentence).map(name => terms(name, analysis).join(' '))
    const lines = measured.kind === 'row' ? [] : optionsOf(sentence)
    const own = [...new Set([...names.filter(name => phrases.has(name)), ...lines.filter(name => options.has(name))])]
    for (const name of own) entries.set(name, (entries.get(name) ?? 0) + 1)
    named.push(own)
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  const idf = (name: string) => inverseDocumentFrequency(entries.get(name) ?? 0, sentences.length)
  const gains = named.map(names => NAME_WEIGHT * names.reduce((sum, name) => sum + idf(name), 0))
  return sentences.map(({ kind, isRestOfRow, head: [first] }, at) => {
    const isBelow = first !== undefined && (isRestOfRow || kind !== 'row')
    return Math.max(gains[at] ?? 0, isBelow ? (gains[first] ?? 0) : 0)
  })
}

/** The names that a sentence is an entry for, without options. */
function namesOf({ kind, opens, share }: MeasuredSentence, sentence: string): string[] {
  if (kind === 'row') return opens ? [] : cellsOf(sentence)
  if (kind === 'code') return share < 1 ? settingNames(sentence) : []
  const name = kind === 'text' ? markedName(sentence) : undefined
  return name === undefined ? [] : [name]
}

/** All runs of terms of a question. */
function phrasesOf(query: string, analysis: Analysis): Set<string> {
  const words = terms(prefixOf(query, LONGEST_READ_QUESTION), analysis)
  const lengths = Array.from({ length: MOST_TERMS }, (_, more) => more + 1)
  return new Set(words.flatMap((_, from) => lengths.map(length => words.slice(from, from + length).join(' '))))
}
