import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { readBatchAnswer, readQueryAnswer } from '../../../src/drop-in/points/point-slices.ts'
import { readChunk } from '../../../src/qdrant/payload/read-chunk.ts'

const chunkOf: Parameters<typeof readBatchAnswer>[1] = point => readChunk(point, 'docs')

describe('an answer of Qdrant', () => {
  it('is read at any depth that Qdrant stores', () => {
    const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`
    const point = `{"id":18446744073709551615,"version":3,"score":5.0,"payload":{"text":"hello","deep":${deep}}}`
    const { lists, usage } = finish(
      readBatchAnswer(`{"result":[{"points":[${point}]},{"points":[]}],"usage":{"cpu":1},"time":0.1}`, chunkOf),
    )
    expect(usage).toBe('{"cpu":1}')
    expect(lists.map(list => list.length)).toEqual([1, 0])
    expect(lists[0]?.[0]).toMatchObject({ key: '18446744073709551615', score: 5, chunk: { text: 'hello' } })
    expect(lists[0]?.[0]?.raw.get('score')).toBe('5.0')
    expect(finish(readQueryAnswer(`{"result":{"points":[${point}]}}`, chunkOf))).toEqual(lists[0])
  })

  it('is read in steps of a few points', () => {
    const point = JSON.stringify({ id: 1, score: 1, payload: { text: 'word '.repeat(4_000) } })
    const steps = readQueryAnswer(`{"result":{"points":[${Array(100).fill(point).join(',')}]}}`, chunkOf)
    let pauses = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) pauses++
    expect(step.value).toHaveLength(100)
    // Two million characters.
    expect(pauses).toBeGreaterThan(30)
  })
})
