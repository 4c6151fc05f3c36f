import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { INTENTS, type Intent } from '../../../src/core/types.ts'
import { detectIntent } from '../../../src/intent/detect.ts'
import { contentHash } from '../../../src/text/fingerprint.ts'

export interface LabelledQuestion {
  question: string
  label: Intent
  /** The public set that it comes from; see NOTICE.md beside the list. */
  source: string
  /** Rules may be changed by looking at half A. Half B only measures. */
  half: 'A' | 'B'
}

/** The folder of the public sets, beside the repository. Their texts are not a part of the project. */
export const DATA = fileURLToPath(new URL('../../../../shared/data/', import.meta.url))
const FILES = ['train/pairs.jsonl', 'docs-rag/queries.jsonl']

/** Why the questions cannot be read; null when they can. */
export function missingData(): string | null {
  const missing = FILES.find(file => !existsSync(join(DATA, file)))
  return missing === undefined ? null : `no file ${join(DATA, missing)}: the labelled questions are not read`
}

/** The labelled questions in the order of the list. The label is found by the hash of the text, and so is the half. */
export function labelledQuestions(): LabelledQuestion[] {
  const texts = new Map(
    FILES.flatMap(file => rowsOf(join(DATA, file))).map(({ query }) => [contentHash(query ?? ''), query ?? '']),
  )
  return rowsOf(fileURLToPath(new URL('../labels.jsonl', import.meta.url))).map(
    ({ question_sha256, source, label }) => ({
      question: texts.get(question_sha256 ?? '') ?? '',
      label: label as Intent,
      source: source ?? '',
      half: Number.parseInt(question_sha256?.slice(0, 2) ?? '', 16) % 2 === 0 ? 'A' : 'B',
    }),
  )
}

function rowsOf(path: string): Record<string, string | undefined>[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line))
}

export interface LabelFigures {
  label: Intent
  /** Questions that have the label. */
  count: number
  /** Share of the questions detected as the label that have it; null when there are none. */
  precision: number | null
  /** Share of the questions with the label that are detected as it; null when there are none. */
  recall: number | null
  /** How often each label was detected for the questions with this one. */
  detected: Record<Intent, number>
}

/** Accuracy, and a row of the confusion table for each label. */
export function scoreIntents(questions: readonly LabelledQuestion[]): { accuracy: number; labels: LabelFigures[] } {
  const pairs = questions.map(({ question, label }) => ({ label, found: detectIntent(question).label }))
  const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
  const labels = INTENTS.map(label => {
    const own = pairs.filter(pair => pair.label === label)
    const right = own.filter(pair => pair.found === label).length
    const detected = Object.fromEntries(INTENTS.map(other => [other, own.filter(pair => pair.found === other).length]))
    return {
      label,
      count: own.length,
      precision: share(right, pairs.filter(pair => pair.found === label).length),
      recall: share(right, own.length),
      detected: detected as Record<Intent, number>,
    }
  })
  return { accuracy: pairs.filter(pair => pair.label === pair.found).length / pairs.length, labels }
}
