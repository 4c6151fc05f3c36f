import { afterEach, describe, expect, it } from 'vitest'
import type { ImproveDependencies } from '../../src/drop-in/route.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import type { ExperimentOutcome } from '../../src/pipeline/plan/outcome.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { parseTraceLine } from '../../src/rollout/compare/observed-request.ts'
import { assigning, TREATED } from '../support/decisions.ts'
import { dependencies, fakePorts } from '../support/fake-ports.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { choosing, serveImproving } from './support/improving.ts'
import { createScriptedQdrant, listsAnswer, pointText, type ScriptedAnswer } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const FOUND = listsAnswer([pointText('1', '0.5'), pointText('2', '0.4')])
const SEARCH = { query: [0.1], limit: 2, with_payload: true }
const refuse: ScriptedAnswer = response => void response.writeHead(400).end('{"status":{"error":"too deep"}}')

const askToWait: ScriptedAnswer = response => void response.writeHead(429, { 'retry-after': '1' }).end()

/** Sends one search and waits until its answer is complete, so that the outcome is known. */
async function search(
  script: { lists: ScriptedAnswer; direct?: ScriptedAnswer },
  over: Partial<ImproveDependencies> = {},
  headers: Record<string, string> = {},
) {
  const outcomes: ExperimentOutcome[] = []
  const qdrant = createScriptedQdrant(script)
  const subjects: (string | null)[] = []
  const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
    decide: subject => {
      subjects.push(subject.sessionId)
      return assigning(TREATED)(subject)
    },
    observeOutcome: outcome => void outcomes.push(outcome),
    ...over,
  })
  const answer = await send(url, 'POST', '/collections/docs/points/query', SEARCH, {
    'x-stowage-session': 's1',
    ...headers,
  })
  // The server sees the end of an answer after the client: one more request is answered after it.
  await send(url, 'POST', '/collections/docs/points/count', {})
  return { outcomes, answer, subjects, qdrant }
}

describe('a search in an experiment', () => {
  it('is an outcome of its session, with the values of the choice, and shows its variant', async () => {
    const { outcomes, answer, subjects } = await search({ lists: FOUND })
    expect(outcomes).toEqual([
      {
        assignment: TREATED,
        unitId: '/s1',
        endpoint: 'points',
        failed: false,
        seconds: expect.any(Number),
        recallProxy: 1,
        tokens: 10,
      },
    ])
    expect(subjects).toEqual(['s1'])
    expect(answer.headers.get('x-stowage-variant')).toBe('fewer=half')
  })

  const broken = () => Promise.reject(new Error('bug'))
  it.each<[string, number, Parameters<typeof search>]>([
    ['pipeline_failed', 1, [{ lists: FOUND }, { choosePoints: broken }]],
    ['nothing_chosen', 1, [{ lists: FOUND }, { choosePoints: choosing(() => []) }]],
    ['upstream_refused', 1, [{ lists: refuse }]],
    ['upstream_refused', 0, [{ lists: refuse, direct: refuse }]],
    ['upstream_refused', 0, [{ lists: askToWait }]],
    ['upstream_malformed', 0, [{ lists: '{}' }]],
    ['no_passage_text', 0, [{ lists: listsAnswer([pointText('1', '0.5', '{}')]) }]],
  ])('that passes through by %s is %i failure', async (reason, failures, given) => {
    const { outcomes, answer } = await search(...given)
    expect(answer.headers.get('x-stowage-degraded')).toBe(reason)
    expect(answer.headers.get('x-stowage-variant')).toBe('fewer=half')
    expect(outcomes.map(({ failed }) => failed)).toEqual(Array(failures).fill(true))
  })

  it('has traces that say why its client got the original, and ab counts them as failed', async () => {
    const recorded: Trace[] = []
    const traces = { ...dependencies(fakePorts()).traces, record: (trace: Trace) => void recorded.push(trace) }
    const choose = createChoosePoints({ ...dependencies(fakePorts()), traces })
    let calls = 0
    // The second search of a batch is late.
    const choosePoints: ImproveDependencies['choosePoints'] = async (request, caller) => {
      calls += 1
      const choice = await choose(request, caller)
      if (calls % 2 === 0) throw new DOMException('late', 'TimeoutError')
      return choice
    }
    const list = [pointText('1', '0.5'), pointText('2', '0.4')]
    const qdrant = createScriptedQdrant({ lists: listsAnswer(list, list) })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      decide: assigning(TREATED),
      choosePoints,
    })
    await send(url, 'POST', '/collections/docs/points/query/batch', { searches: [SEARCH, SEARCH] })
    expect(recorded.map(({ passthrough }) => passthrough)).toEqual(['pipeline_failed', 'pipeline_failed'])
    const asRead = recorded.map(trace => parseTraceLine(JSON.stringify(trace)))
    expect(asRead).toMatchObject(Array(2).fill({ request: { failed: true, recallProxy: null, tokens: null } }))
  })

  it('that is answered has a trace that ab counts as a success', async () => {
    const recorded: Trace[] = []
    const traces = { ...dependencies(fakePorts()).traces, record: (trace: Trace) => void recorded.push(trace) }
    await search({ lists: FOUND }, { choosePoints: createChoosePoints({ ...dependencies(fakePorts()), traces }) })
    expect(recorded).toHaveLength(1)
    expect(parseTraceLine(JSON.stringify(recorded[0]))).toMatchObject({ request: { failed: false } })
  })

  it('gets the same bytes when the observer throws', async () => {
    const observeOutcome = () => {
      throw new Error('observer')
    }
    const given = [{ lists: FOUND }, { lists: refuse }]
    for (const script of given) {
      const bytes = async (over: Partial<ImproveDependencies>) =>
        (await search(script, over)).answer.text.replace(/"time":[\d.]+/, '')
      expect(await bytes({ observeOutcome })).toBe(await bytes({}))
    }
  })

  it.each([
    ['', null],
    ['x', 'x'],
    ['y'.repeat(200), 'y'.repeat(200)],
    ['z'.repeat(201), null],
  ])('has the session %j as %j', async (header, expected) => {
    const { subjects, qdrant } = await search({ lists: FOUND }, {}, { 'x-stowage-session': header })
    expect(subjects).toEqual([expected])
    expect(qdrant.untouched.map(({ path }) => path)).toEqual(['/collections/docs/points/count'])
  })

  it('shows names of any text without breaking the answer', async () => {
    const assignment = { ...TREATED, experiment: 'größer\n', variant: 'a=b;\uD800' }
    const { answer } = await search({ lists: FOUND }, { decide: assigning(assignment) })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-stowage-variant')).toBe('gr%C3%B6%C3%9Fer%0A=a%3Db%3B%EF%BF%BD')
  })

  it('shows nothing and observes nothing outside of experiments, and when improving is off', async () => {
    const plain = decideByConfiguration(NAMED_PLANS.measured)
    const off: ImproveDependencies['decide'] = subject => ({ ...assigning(TREATED)(subject), improves: false })
    for (const decide of [plain, off]) {
      const { outcomes, answer } = await search({ lists: FOUND }, { decide })
      expect([outcomes, answer.headers.get('x-stowage-variant')]).toEqual([[], null])
    }
  })
})
