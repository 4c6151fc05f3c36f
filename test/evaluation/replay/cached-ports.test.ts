import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../src/core/ports.ts'
import { PortCache } from '../../../src/evaluation/replay/cached-ports.ts'
import { encodeBm25Query } from '../../../src/text/qdrant-bm25.ts'
import { fakePorts } from '../../support/fake-ports.ts'

const passages = [{ text: 'The lamp burns.', parts: [{ start: 0, end: 15 }] }]

describe('the answers that the arms of a replay share', () => {
  it('are asked for once', async () => {
    let calls = 0
    const matchParts = async () => [[++calls]]
    const cache = new PortCache(fakePorts({ reranker: { matchParts } }))
    const request = { query: 'lamp', passages, signal: new AbortController().signal }
    for (const deadlineMs of [100, 200]) {
      const { reranker } = cache.forRun(deadlineMs).ports
      expect(await reranker?.matchParts?.(request)).toEqual([[1]])
    }
    expect(calls).toBe(1)
  })

  it('are asked for again when the question was corrected', async () => {
    let searches = 0
    const search = async () => ({ lists: [], missing: [`search ${++searches}`] })
    const { store } = new PortCache(fakePorts({ store: { search } })).forRun(100).ports
    const call = { apiKey: null, condition: null, signal: new AbortController().signal }
    const find = (dense: number[] | null, text: string) => {
      const request = { collection: 'docs', filter: null, limit: 5, withVectors: false }
      return store.search({ ...request, dense, sparse: encodeBm25Query(text) }, call)
    }
    const asked: [number[] | null, string][] = [
      [null, 'wtaer'],
      [null, 'water'],
      [[1, 0], 'water'],
      [[0, 1], 'water'],
    ]
    for (const [dense, text] of [...asked, ...asked]) await find(dense, text)
    expect(searches).toBe(4)
  })

  it('are asked for again with another number of hits', async () => {
    const search = async ({ limit, foreignLimit }: SearchRequest) => ({
      lists: [],
      missing: [`${limit}, ${foreignLimit}`],
    })
    const { store } = new PortCache(fakePorts({ store: { search } })).forRun(100).ports
    const call = { apiKey: null, condition: null, signal: new AbortController().signal }
    const request = { collection: 'docs', filter: null, dense: [1, 0], sparse: null, withVectors: false }
    for (const [limit, foreignLimit] of [
      [5, 5],
      [5, 9],
      [9, 9],
      [5, 5],
    ] as const) {
      const { missing } = await store.search({ ...request, limit, foreignLimit }, call)
      expect(missing).toEqual([`${limit}, ${foreignLimit}`])
    }
  })

  it('do not hold what came too late for the first arm', async () => {
    const matchParts = async ({ signal }: { signal: AbortSignal }) => [signal.aborted ? null : [1]]
    const { reranker } = new PortCache(fakePorts({ reranker: { matchParts } })).forRun(100).ports
    expect(await reranker?.matchParts?.({ query: 'lamp', passages, signal: AbortSignal.abort() })).toEqual([null])
    const inTime = { query: 'lamp', passages, signal: new AbortController().signal }
    expect(await reranker?.matchParts?.(inTime)).toEqual([[1]])
  })
})
