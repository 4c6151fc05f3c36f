import { describe, expect, it } from 'vitest'
import { createAnswerCache } from '../../src/adapters/answer-cache.ts'
import { StowageError } from '../../src/core/errors.ts'
import type { ErrorCode } from '../../src/core/vocabulary.ts'
import type { ContextRequest } from '../../src/pipeline/context-request.ts'
import { createPackContext, type PackContextDependencies } from '../../src/pipeline/pack-context.ts'
import type { ExperimentOutcome } from '../../src/pipeline/plan/outcome.ts'
import type { PipelinePorts, TracedContext } from '../../src/pipeline/services.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { assigning, TREATED } from '../support/decisions.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'
import { tenantOfName } from '../support/tenants.ts'

const REQUEST: ContextRequest = { query: 'What is the tide?', collection: 'docs', session_id: 's1' }
const found = keywordLists([{ score: 1, chunk: chunk() }])
const working = fakePorts({ store: scriptedStore(found), embedder: null })

function failing(error: unknown): PipelinePorts {
  return fakePorts({ store: { search: () => Promise.reject(error) }, embedder: null })
}

function observing(ports: PipelinePorts, over: Partial<PackContextDependencies> = {}) {
  const outcomes: ExperimentOutcome[] = []
  const observed = dependencies(ports, {
    decide: assigning(TREATED),
    observeOutcome: outcome => void outcomes.push(outcome),
    ...over,
  })
  return { outcomes, recorded: observed.recorded, packContext: createPackContext(observed) }
}

describe('the outcome of a context', () => {
  it('holds what the trace says, for the unit that keeps its variant', async () => {
    const { outcomes, recorded, packContext } = observing(working)
    await packContext(REQUEST, CALLER)
    const [trace] = recorded
    expect(outcomes).toEqual([
      {
        assignment: TREATED,
        unitId: '/s1',
        endpoint: 'context',
        failed: false,
        seconds: (trace?.duration_ms ?? 0) / 1_000,
        recallProxy: trace?.recall_proxy,
        tokens: trace?.budget.used,
      },
    ])
    expect(outcomes[0]?.recallProxy).toBe(1)
  })

  it('tells the sessions of two tenants apart, and names the tenant or the request when these are the unit', async () => {
    const unitIds = async (unit: 'session' | 'tenant' | 'request') => {
      const { outcomes, packContext } = observing(working, { decide: assigning({ ...TREATED, unit }) })
      for (const name of ['acme', 'beta']) await packContext(REQUEST, { ...CALLER, tenant: tenantOfName(name) })
      return outcomes.map(({ unitId }) => unitId)
    }
    expect(await unitIds('session')).toEqual(['acme/s1', 'beta/s1'])
    expect(await unitIds('tenant')).toEqual(['acme', 'beta'])
    expect(await unitIds('request')).toEqual(['trace-1', 'trace-2'])
  })

  it.each<[string, unknown, boolean]>([
    ['an unexpected error', new Error('bug'), true],
    ...(['upstream_error', 'upstream_unavailable', 'upstream_timeout', 'bad_request', 'unprocessable'] as const).map(
      (code): [string, unknown, boolean] => [code, new StowageError(code, 'no'), true],
    ),
    ...(['unauthorized', 'forbidden', 'collection_not_found', 'too_many_requests', 'overloaded'] as ErrorCode[]).map(
      (code): [string, unknown, boolean] => [code, new StowageError(code, 'no'), false],
    ),
  ])('is a failure by %s only when the plan can be guilty of it', async (_case, error, counts) => {
    const { outcomes, packContext } = observing(failing(error))
    await expect(packContext(REQUEST, CALLER)).rejects.toThrow()
    expect(outcomes.map(({ failed, recallProxy, tokens }) => [failed, recallProxy, tokens])).toEqual(
      counts ? [[true, null, null]] : [],
    )
  })

  it('is none when the client has left, when nothing is assigned, and while everyone gets the control', async () => {
    const left = observing(failing(new Error('aborted')))
    const signal = AbortSignal.abort()
    await expect(left.packContext(REQUEST, { ...CALLER, signal })).rejects.toThrow()
    expect(left.outcomes).toEqual([])

    const outside = observing(working, { decide: dependencies(working).decide })
    await outside.packContext(REQUEST, CALLER)
    expect(outside.outcomes).toEqual([])

    const controlOnly = observing(working, { decide: assigning({ ...TREATED, variant: 'control', share: 1 }) })
    await controlOnly.packContext(REQUEST, CALLER)
    expect(controlOnly.outcomes).toEqual([])
  })

  it('of a cached answer has its content, and says nothing of failures and time', async () => {
    const limits = { ttlMs: 60_000, maxEntries: 9, maxBytes: 1e6, now: () => 0 }
    const cached = observing(working, { cache: createAnswerCache<TracedContext>(limits) })
    const { session_id: _session, ...withoutSession } = REQUEST
    for (let i = 0; i < 3; i++) await cached.packContext(withoutSession, CALLER)
    expect(cached.recorded.map(({ cache }) => cache)).toEqual(['miss', 'hit', 'hit'])
    const [first, ...others] = cached.outcomes
    expect(first).toMatchObject({ failed: false, unitId: 'trace-1', recallProxy: 1 })
    const unknown = { failed: null, seconds: null }
    expect(others).toEqual([
      { ...first, ...unknown, unitId: 'trace-2' },
      { ...first, ...unknown, unitId: 'trace-3' },
    ])
  })

  it('reaches an observer that throws without any change of the answer', async () => {
    const throwing = () => {
      throw new Error('observer')
    }
    const answer = async (over: Partial<PackContextDependencies>) =>
      JSON.stringify(await observing(working, over).packContext({ ...REQUEST, trace: true }, CALLER))
    expect(await answer({ observeOutcome: throwing })).toBe(await answer({}))
    const { packContext } = observing(failing(new StowageError('upstream_error', 'down')), { observeOutcome: throwing })
    await expect(packContext(REQUEST, CALLER)).rejects.toThrow('down')
  })
})
