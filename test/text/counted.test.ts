import { expect, it } from 'vitest'
import { counted } from '../../src/text/printable.ts'

it('a number stands before its noun in the right form', () => {
  expect([0, 1, 2, 2_000].map(value => counted(value, 'point'))).toEqual([
    '0 points',
    '1 point',
    '2 points',
    '2,000 points',
  ])
  expect(counted(1, 'query', 'queries')).toBe('1 query')
  expect(counted(3, 'point has', 'points have')).toBe('3 points have')
})
