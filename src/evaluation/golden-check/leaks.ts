import { groupBy } from '../../core/collections.ts'
import { type Split, splitOf } from '../golden-set/split.ts'
import { comparableText } from '../metrics/reference-words.ts'
import { type Finding, finding, otherPlace, type PlacedQuery } from './finding.ts'
import { equalQuestions, similarQuestions } from './questions.ts'

/** The half of a query, and whether somebody chose it. */
type HalfOf = (placed: PlacedQuery) => { half: Split; chosen: boolean }

/** The half by the field `split`, else by the hash of the id, as `--tune` divides a set with this share for training. */
export const halfInSet =
  (trainShare?: number): HalfOf =>
  ({ query }) => ({ half: splitOf(query, trainShare), chosen: query.split !== null })

/**
 * Questions that are asked twice, and what training and test have in common. A leak between halves that only a hash made is a warning:
 * nobody has tuned on them yet.
 */
export function checkLeaks(queries: readonly PlacedQuery[], halfOf: HalfOf): Finding[] {
  return [...repeatedQuestions(queries, halfOf), ...sharedGolds(queries, halfOf)]
}

function repeatedQuestions(queries: readonly PlacedQuery[], halfOf: HalfOf): Finding[] {
  const pairs = [
    ...equalQuestions(queries).map(pair => ({
      ...pair,
      code: 'equal_questions' as const,
      how: 'the same question as',
    })),
    ...similarQuestions(queries).map(pair => ({
      ...pair,
      code: 'similar_questions' as const,
      how: `${Math.round(pair.share * 100)} % of the runs of words of`,
    })),
  ]
  return pairs.map(({ later, earlier, code, how }) => {
    const [own, other] = [halfOf(later), halfOf(earlier)]
    const text = `${how} ${otherPlace(later, earlier)}: ${JSON.stringify(later.query.query)}`
    return own.half === other.half
      ? finding(later, code, text)
      : finding(later, 'leaked_question', `${own.half}: ${text} (${other.half})`, severityOf(own, other))
  })
}

/** Gold passages that both halves have, by place or by words; one finding for each query of the test half. */
function sharedGolds(queries: readonly PlacedQuery[], halfOf: HalfOf): Finding[] {
  const golds = queries.flatMap(placed =>
    placed.query.goldPassages.map((gold, at) => ({ placed, at, key: comparableText(gold.text) })),
  )
  return [...groupBy(golds, ({ key }) => key)].flatMap(([key, same]) => {
    const train = same.find(({ placed }) => halfOf(placed).half === 'train')
    if (key === '' || !train) return []
    return same.flatMap(({ placed, at }) => {
      const own = halfOf(placed)
      if (own.half === 'train') return []
      const where = otherPlace(placed, train.placed)
      return [
        finding(
          placed,
          'leaked_gold',
          `gold.${at} is a gold passage of ${where} (train)`,
          severityOf(own, halfOf(train.placed)),
        ),
      ]
    })
  })
}

function severityOf(one: { chosen: boolean }, other: { chosen: boolean }): Finding['severity'] {
  return one.chosen && other.chosen ? 'error' : 'warning'
}
