import { expect, it } from 'vitest'
import { findingsText } from '../../../src/evaluation/golden-check/findings-text.ts'
import { gateText } from '../../../src/evaluation/report/gate/text.ts'

const query = 'How deep \u001b]0;owned\u0007\u009b2J\u202e is the basin?'
const shown = 'How deep \uFFFD]0;owned\uFFFD\uFFFD2J\uFFFD is the basin?'
const named = { set: 's', id: 'q', query }

it('a question cannot give orders to the terminal of those who read about it', () => {
  const difference = { mean: -1, low: -1, high: -1, n: 1, nonZero: 1 }
  const change = { verdict: 'worse' as const, lost: 1, won: 0, most: [{ ...named, before: 1, now: 0 }] }
  const figures = { before: 1, now: 0, difference, adjustedP: 0.01, smallestEffect: null }
  const tests = [{ measure: 'recall' as const, budget: 500, ...figures, ...change }]
  expect(gateText({ passed: false, tests, faults: [], planChanges: [] }, 'b.json')).toContain(shown)

  const finding = {
    set: 's',
    place: 'q:1',
    code: 'equal_questions' as const,
    severity: 'warning' as const,
    text: query,
  }
  expect(findingsText([finding], [{ name: 's', queries: 1 }])).toContain(shown)
})
