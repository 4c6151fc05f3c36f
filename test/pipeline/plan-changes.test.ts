import { expect, it } from 'vitest'
import { readPlanChanges } from '../../src/pipeline/plan/changes.ts'

it('names every fault of a plan at once: unknown keys, values of a wrong kind and values out of range', () => {
  const values = JSON.parse(
    '{"packing.mod": "sentence", "__proto__": 1, "rerank.blend": 2, "PACKING_FILL": ["all"], "rerank.topK": 12}',
  )
  const { changes, faults } = readPlanChanges(values, 'plans/a.json', null)
  expect(changes).toBeNull()
  for (const fault of [
    /unknown key packing\.mod; did you mean packing\.mode\?/,
    /rerank\.blend=2: Too big/,
    /PACKING_FILL/,
  ])
    expect(faults).toContainEqual(expect.stringMatching(fault))
  expect(faults.join()).not.toContain('rerank.topK=')
})

it.each([
  ['no object', 5],
  ['a list', []],
  ['nothing', null],
])('refuses %s', (_name, values) => {
  expect(readPlanChanges(values, 'plans/a.json', null)).toMatchObject({ changes: null, faults: [expect.any(String)] })
})
