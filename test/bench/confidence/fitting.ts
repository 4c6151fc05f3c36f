import { prominenceOf } from '../../../src/pipeline/confidence/prominence.ts'
import { logit } from '../../../src/pipeline/confidence/relevance.ts'
import { sigmoid } from '../../../src/statistics/sigmoid.ts'
import type { Row } from './asking.ts'
import { type Example, fitLogistic, type Logistic, logitOf } from './logistic.ts'

/** The models of `relevance.ts` (`passage`) and of `answerable.ts` (`question`). */
export interface Models {
  passage: Logistic
  question: Logistic
}

/** Whether the scores of the reranker are used. */
export type Signals = 'reranker' | 'words'

/**
 * The negative questions count as much as the others, and half of them are of the same subject. Questions that were written without an
 * answer are for judging alone.
 */
const WEIGHTS = { answered: 1, without: 0.5, other: 0.5, unanswerable: 0 }

export function fitModels(rows: readonly Row[], signals: Signals): Models {
  const passage = fitLogistic(
    rows
      .filter(({ group }) => group === 'answered' || group === 'other')
      .flatMap(({ passages }) =>
        passages.map((one): Example => ({ features: featuresOf(one, signals), wanted: one.gold ? 1 : 0, weight: 1 })),
      ),
  )
  const question = fitLogistic(
    rows.flatMap((row): Example[] => {
      const features = questionFeatures(row, passage, signals)
      if (features === null || row.group === 'unanswerable') return []
      return [{ features, wanted: row.group === 'answered' ? 1 : 0, weight: WEIGHTS[row.group] }]
    }),
  )
  return { passage, question }
}

/** The probability that the documents answer, as `answerableBy` computes it. */
export function probabilityOf(row: Row, { passage, question }: Models, signals: Signals): number {
  const features = questionFeatures(row, passage, signals)
  return features === null ? 0 : sigmoid(logitOf(question, features))
}

export function relevanceOf(one: Row['passages'][number], { passage }: Models, signals: Signals): number {
  return sigmoid(logitOf(passage, featuresOf(one, signals)))
}

/** Null without passages, and where none has the score that is to be used. */
function questionFeatures({ passages }: Row, model: Logistic, signals: Signals): number[] | null {
  const logits = passages
    .filter(({ rerank }) => signals === 'words' || rerank !== null)
    .map(one => logitOf(model, featuresOf(one, signals)))
  if (logits.length === 0) return null
  const best = Math.max(...logits)
  return signals === 'words' ? [best] : [best, prominenceOf(passages) ?? 0]
}

function featuresOf({ rerank, coverage }: Row['passages'][number], signals: Signals): number[] {
  return signals === 'words' ? [coverage] : [logit(rerank ?? 0), coverage]
}
