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
const WEIGHTS = { own: 1, without: 0.5, other: 0.5, unanswerable: 0 }

export function fitModels(rows: readonly Row[], signals: Signals): Models {
  const passage = fitLogistic(
    rows
      .filter(({ world }) => world === 'own' || world === 'other')
      .flatMap(({ passages }) =>
        passages.map((one): Example => ({ features: featuresOf(one, signals), wanted: one.gold ? 1 : 0, weight: 1 })),
      ),
  )
  const question = fitLogistic(
    rows.flatMap((row): Example[] => {
      const best = bestOf(row, passage, signals)
      if (best === null || row.world === 'unanswerable') return []
      return [{ features: [best], wanted: row.world === 'own' ? 1 : 0, weight: WEIGHTS[row.world] }]
    }),
  )
  return { passage, question }
}

/** The probability that the documents answer, as `answerableBy` computes it. */
export function probabilityOf(row: Row, { passage, question }: Models, signals: Signals): number {
  const best = bestOf(row, passage, signals)
  return best === null ? 0 : sigmoid(logitOf(question, [best]))
}

export function relevanceOf(one: Row['passages'][number], { passage }: Models, signals: Signals): number {
  return sigmoid(logitOf(passage, featuresOf(one, signals)))
}

function bestOf({ passages }: Row, model: Logistic, signals: Signals): number | null {
  const logits = passages
    .filter(({ rerank }) => signals === 'words' || rerank !== null)
    .map(one => logitOf(model, featuresOf(one, signals)))
  return logits.length === 0 ? null : Math.max(...logits)
}

function featuresOf({ rerank, coverage }: Row['passages'][number], signals: Signals): number[] {
  return signals === 'words' ? [coverage] : [logit(rerank ?? 0), coverage]
}
