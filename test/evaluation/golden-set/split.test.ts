import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitOf } from '../../../src/evaluation/golden-set/split.ts'

const withId = (id: string, split: 'train' | 'test' | null = null) => ({ id, split })

test('the field split decides before the hash', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('train' as const, 'test' as const),
      fc.double({ min: 0, max: 1 }),
      (id, split, share) => {
        expect(splitOf(withId(id, split), share)).toBe(split)
      },
    ),
  )
})

test('the hash halves a set, and never changes between versions', () => {
  const ids = Array.from({ length: 2_000 }, (_, index) => `q${index}`)
  const train = ids.filter(id => splitOf(withId(id)) === 'train')
  expect(train.length).toBeGreaterThan(900)
  expect(train.length).toBeLessThan(1_100)
  expect(ids.slice(0, 12).map(id => splitOf(withId(id)))).toEqual([
    'train',
    'test',
    'test',
    'train',
    'train',
    'train',
    'train',
    'train',
    'test',
    'train',
    'test',
    'test',
  ])
})

test('a larger share for training only adds queries to it', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (id, one, other) => {
        const [smaller, larger] = [Math.min(one, other), Math.max(one, other)]
        if (splitOf(withId(id), smaller) === 'train') expect(splitOf(withId(id), larger)).toBe('train')
      },
    ),
  )
  expect(splitOf(withId('q'), 0)).toBe('test')
  expect(splitOf(withId('q'), 1)).toBe('train')
})
