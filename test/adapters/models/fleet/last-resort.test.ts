import { describe, expect, it } from 'vitest'
import { type Answer, hanging, openFleet, PASSAGES, right, SCORES } from './support/open-fleet.ts'

/** Three calls of node 0 that hang, and that node 1 answers. */
async function leaveOutSlow({ ask, clock, said, events }: Awaited<ReturnType<typeof openFleet>>) {
  for (let turn = 0; turn < 3; turn++) {
    const hung = hanging()
    said[0] = hung.answer
    said[1] = right
    const answer = ask()
    await hung.reached
    clock.advance(1_000)
    await answer
  }
  expect(events).toContain('0 out')
  events.length = 0
  said[0] = right
}

describe('a last resort', () => {
  it('is a node that is left out because it is slow, when no other one can be used, until it hangs again', async () => {
    const fleet = await openFleet(right, right)
    const { ask, clock, events, said, asked } = fleet
    await leaveOutSlow(fleet)
    said[1] = () => ({ body: 'garbage' })
    expect((await ask()).scores).toEqual(SCORES)
    expect((await ask()).scores).toEqual(SCORES)
    // Answers of a last resort do not end its pause.
    expect(events).toEqual(['1 out', '1 broken', 'retry', '0 answered', '0 answered'])

    const hung = hanging()
    said[0] = hung.answer
    const deadline = new AbortController()
    const late = ask(deadline.signal)
    await hung.reached
    clock.advance(450)
    deadline.abort(new DOMException('deadline passed', 'TimeoutError'))
    expect((await late).scores).toEqual(PASSAGES.map(() => null))
    const before = asked()
    await expect(ask()).rejects.toThrow('None of the 2 endpoints')
    expect(asked()).toEqual(before)
  })

  it('is asked as the third node when two others have failed', async () => {
    const fleet = await openFleet(right, right, right)
    await leaveOutSlow(fleet)
    fleet.said[1] = fleet.said[2] = () => ({ status: 500, body: {} })
    for (let turn = 0; turn < 4; turn++) expect((await fleet.ask()).scores).toEqual(SCORES)
    expect(fleet.events.filter(event => event === '0 answered')).toHaveLength(4)
    expect(fleet.events.filter(event => /failed/u.test(event))).toHaveLength(6)
  })

  it.each<[string, Answer]>([
    ['gives answers that cannot be used', () => ({ body: 'garbage' })],
    ['has errors', () => ({ status: 500, body: {} })],
  ])('is never a node that is left out because it %s', async (_name, wrong) => {
    const { ask, events, said, asked } = await openFleet(wrong, right)
    for (let turn = 0; turn < 3; turn++) await ask()
    expect(events).toContain('0 out')
    const [calls] = asked()
    said[0] = right
    said[1] = () => ({ body: 'garbage' })
    await expect(ask()).rejects.toThrow('answer with JSON')
    await expect(ask()).rejects.toThrow('None of the 2 endpoints')
    expect(asked()[0]).toBe(calls)
  })
})
