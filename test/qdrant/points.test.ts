import { expect, it } from 'vitest'
import { hasRisingScores, isDistanceMetric } from '../../src/qdrant/points.ts'

it('knows the metrics whose scores are distances', () => {
  expect(['Euclid', 'Manhattan', 'Cosine', 'Dot', ''].map(isDistanceMetric)).toEqual([true, true, false, false, false])
})

it('recognises distances by rising scores', () => {
  expect(hasRisingScores([{ score: 0.1 }, { score: 0.1 }, { score: 2 }])).toBe(true)
  expect(hasRisingScores([{ score: 2 }, { score: 0.1 }])).toBe(false)
  expect(hasRisingScores([{ score: 2 }])).toBe(false)
  expect(hasRisingScores([])).toBe(false)
})
