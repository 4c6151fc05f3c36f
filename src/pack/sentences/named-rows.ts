import { LONGEST_READ_QUESTION, prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import { inverseDocumentFrequency } from '../../text/candidate-bm25.ts'
import { askedOptions, optionsOf } from '../../text/names/command-options.ts'
import { settingNames } from '../../text/names/setting-name.ts'
import { cellsOf } from '../../text/sentences/table-row.ts'
import { terms } from '../../text/terms/terms.ts'
import { type Analysis, analysisOf } from '../../text/terms/word-terms.ts'
import type { MeasuredSentence } from './measured.ts'
import { SENTENCES_PER_STEP } from './units.ts'

/** What a row gains for a cell that the question names, in logits per unit of idf. Chosen on two groups of golden sets, which agree (decision 105). */
const CELL_WEIGHT = 2
/** Longest cell that a question names, in terms. */
const MOST_TERMS = 6

/**
 * What the rows of tables gain, in logits, by the place of the sentence: 2 · Σ idf(n, r) (`inverseDocumentFrequency`) over the cells that the question names, where n is the
 * number of sentences, and r that of the rows with such a cell. A question names a cell when it has all of its terms one after the other: "What does ISH-6109 mean?" names the
 * first cell of "| ISH-6109 | line stolen |". To a reranker, all rows of a table look alike. The names of the columns gain nothing.
 * Of a row that is cut, each part gains as much as the first one, which has the name. A line that explains an option for which the question asks (`--jump`) gains in the same way, and what follows below it with it;
 * so does a line of code that gives a value to a name of the question (`max_shards: 200`), where the code is cut.
 */
export function* namedRows(sentences: readonly MeasuredSentence[], text: string, query: string): Steps<number[]> {
  const analysis = analysisOf(text)
  const phrases = phrasesOf(query, analysis)
  const options = new Set(askedOptions(prefixOf(query, LONGEST_READ_QUESTION)))
  const phraseOf = (cell: string) => terms(cell, analysis).join(' ')
  const named: string[][] = []
  const rows = new Map<string, number>()
  for (const [at, { kind, opens, share, start, end }] of sentences.entries()) {
    const sentence = text.slice(start, end)
    const cells = kind === 'row' && !opens ? cellsOf(sentence).map(phraseOf) : []
    const settings = kind === 'code' && share < 1 ? settingNames(sentence).map(phraseOf) : []
    const lines = kind === 'row' ? [] : optionsOf(sentence)
    const own = [
      ...new Set([
        ...[...cells, ...settings].filter(phrase => phrases.has(phrase)),
        ...lines.filter(name => options.has(name)),
      ]),
    ]
    for (const name of own) rows.set(name, (rows.get(name) ?? 0) + 1)
    named.push(own)
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  const idf = (name: string) => inverseDocumentFrequency(rows.get(name) ?? 0, sentences.length)
  const gains = named.map(names => CELL_WEIGHT * names.reduce((sum, name) => sum + idf(name), 0))
  return sentences.map(({ kind, isRestOfRow, head: [first] }, at) => {
    const isBelow = first !== undefined && (isRestOfRow || kind !== 'row')
    return Math.max(gains[at] ?? 0, isBelow ? (gains[first] ?? 0) : 0)
  })
}

/** All runs of terms of a question. */
function phrasesOf(query: string, analysis: Analysis): Set<string> {
  const words = terms(prefixOf(query, LONGEST_READ_QUESTION), analysis)
  const lengths = Array.from({ length: MOST_TERMS }, (_, more) => more + 1)
  return new Set(words.flatMap((_, from) => lengths.map(length => words.slice(from, from + length).join(' '))))
}
