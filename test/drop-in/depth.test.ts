import { describe, expect, it } from 'vitest'
import { leastDepth, rankedDepth } from '../../src/drop-in/depth.ts'
import { understand } from '../../src/drop-in/query/understand.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'

const plan = overridePlan(NAMED_PLANS.measured, { retrieval: { pool: 50, foreignK: 200 } })
const DENSE = '{"query":[0.1,0.2],"limit":5}'
const KEYWORD = '{"query":{"indices":[1],"values":[1]},"using":"sparse","limit":5}'
const HYBRID = `{"prefetch":[${DENSE},${KEYWORD}],"query":{"fusion":"rrf"},"limit":5}`

function depthOf(body: string, { searches = 1, mayHaveQuestion = true, of = plan } = {}): number {
  const [query] = understand(body, { api: 'query', batch: false })
  if (query === undefined) throw new Error('no query')
  return leastDepth(query, of, { mayHaveQuestion, searches })
}

describe('the hits that are asked of each list of a search', () => {
  it.each([
    ['a dense list that is alone has more', depthOf(DENSE), 200],
    ['without a question it has as many as others', depthOf(DENSE, { mayHaveQuestion: false }), 50],
    ['the searches of a batch divide them', depthOf(DENSE, { searches: 3 }), 66],
    ['a large batch has as many as others', depthOf(DENSE, { searches: 16 }), 50],
    ['a keyword list needs no other one in its place', depthOf(KEYWORD), 50],
    ['and neither do two lists', depthOf(HYBRID), 50],
    ['off', depthOf(DENSE, { of: overridePlan(plan, { retrieval: { foreignK: null } }) }), 50],
  ])('%s', (_, depth, expected) => expect(depth).toBe(expected))

  it('are at least those of the client', () => {
    const [query] = understand('{"query":[0.1],"limit":300}', { api: 'query', batch: false })
    expect(query?.prefetches.map(prefetch => rankedDepth(prefetch, 200))).toEqual([300])
  })
})
