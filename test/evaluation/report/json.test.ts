import { describe, expect, it } from 'vitest'
import { reportJson } from '../../../src/evaluation/report/json.ts'
import { summarize } from '../../../src/evaluation/summary/summarize.ts'
import { replayJsonSchema } from '../support/replay-json.ts'
import { replayReport } from '../support/report.ts'

describe('JSON of a replay', () => {
  const report = replayReport({
    one: [
      { intent: 'definition', grade: '2', arms: { topk: [0, 1], measured: [1, 1] } },
      { arms: { topk: [1, 1], measured: [0, 1] } },
    ],
    two: [{ arms: { topk: [0, 0], measured: [1, 1] } }],
  })
  const json = reportJson(report, summarize(report, { against: 'topk' }))

  it('has the documented shape, with the summary, the plans and every query', () => {
    const parsed = replayJsonSchema.parse(JSON.parse(json))
    expect(parsed.arms[1]?.planFingerprint).toBe(report.arms[1]?.planFingerprint)
    expect(parsed.summary.slices[0]?.arms[1]?.figures.recall?.average?.against?.difference.n).toBe(3)
    expect(parsed.sets[0]?.queries[0]?.arms.measured?.['1000']?.measures.recall).toBe(1)
    // The schema knows every key that is written.
    expect(parsed).toEqual(JSON.parse(json))
  })
})
