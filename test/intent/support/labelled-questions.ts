import { readFileSync } from 'node:fs'
import { INTENTS, type Intent } from '../../../src/core/types.ts'
import { detectIntent } from '../../../src/intent/detect.ts'
import { sha256 } from '../../../src/text/fingerprint.ts'

export interface LabelledQuestion {
  question: string
  label: Intent
  /** The public set that it comes from; see NOTICE.md beside the list. */
  source: string
  /** Rules may be changed by looking at half A. Half B only measures. */
  half: 'A' | 'B'
}

/** The labelled questions; the half of a question depends on its hash alone. */
export function labelledQuestions(): LabelledQuestion[] {
  const lines = readFileSync(new URL('../questions.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map(line => {
    const row = JSON.parse(line)
    return { ...row, half: Number.parseInt(sha256(row.question).slice(0, 2), 16) % 2 === 0 ? 'A' : 'B' }
  })
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
