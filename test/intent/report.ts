/** Prints how well the rules detect the intent of the labelled questions. `-- --errors` lists the wrong ones of half A. */
import Table from 'cli-table3'
import { INTENTS } from '../../src/core/types.ts'
import { detectIntent } from '../../src/intent/detect.ts'
import { labelledQuestions, missingData, scoreIntents } from './support/labelled-questions.ts'

const missing = missingData()
if (missing !== null) {
  process.stderr.write(`${missing}\n`)
  process.exit(1)
}

const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`)

for (const half of ['A', 'B'] as const) {
  const questions = labelledQuestions().filter(question => question.half === half)
  const { accuracy, labels } = scoreIntents(questions)
  const table = new Table({ head: ['label \\ detected', ...INTENTS, 'n', 'precision', 'recall'], style: { head: [] } })
  for (const { label, count, precision, recall, detected } of labels)
    table.push([label, ...INTENTS.map(other => detected[other] || ''), count, percent(precision), percent(recall)])
  process.stdout.write(`half ${half}: ${questions.length} questions, accuracy ${percent(accuracy)}\n${table}\n\n`)
}

if (process.argv.includes('--errors')) {
  for (const { question, label } of labelledQuestions().filter(({ half }) => half === 'A')) {
    const found = detectIntent(question)
    if (found.label !== label) process.stdout.write(`${label}, not ${found.label} (${found.rule}): ${question}\n`)
  }
}
