import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQuestionMemory } from '../../../src/relay/memory/memory.ts'
import { weightOf } from '../../../src/relay/memory/scope.ts'
import { asFloat16, scaled, vectorOf } from '../support/vectors.ts'

const TTL_MS = 1_000

function openMemory(vectors = 1_000) {
  const clock = { time: 1 }
  return { clock, ...wrap(createQuestionMemory({ vectors, ttlMs: TTL_MS, now: () => clock.time })) }
}
const wrap = (memory: ReturnType<typeof createQuestionMemory>) => ({ memory })

describe('the memory of questions', () => {
  it('finds a vector in every spelling of its float32 values', () => {
    const { memory } = openMemory()
    const vector = vectorOf('who?')
    memory.remember('a', vector, 'who?')
    const doubles = Array.from(vector)
    const short = doubles.map(value => Number(value.toPrecision(9)))
    const noisy = doubles.map(value => value * (1 + 2 ** -30))
    for (const spelt of [vector, doubles, JSON.parse(JSON.stringify(doubles)), short, noisy])
      expect(memory.find('a', spelt)).toEqual({ text: 'who?', result: 'exact' })
    expect(memory.find('b', vector)).toEqual({ text: null, result: 'unknown' })
    expect(memory.find('a', vectorOf('who is?'))).toEqual({ text: null, result: 'unknown' })
  })

  it('takes -0 for 0, as JSON of JavaScript does', () => {
    const { memory } = openMemory()
    memory.remember('a', [-0, 1, -0], 'q')
    expect(memory.find('a', [0, 1, 0]).text).toBe('q')
  })

  it('finds a vector that was cut, scaled or rounded, by its direction', () => {
    const { memory } = openMemory()
    const texts = Array.from({ length: 300 }, (_, at) => `question ${at}`)
    for (const text of texts) memory.remember('a', vectorOf(text), text)
    for (const text of texts) {
      const vector = vectorOf(text)
      for (const changed of [
        vector.slice(0, 64),
        scaled(vector.slice(0, 80)),
        vector.map(value => value * 3.7),
        asFloat16(vector),
      ])
        expect(memory.find('a', changed)).toEqual({ text, result: 'direction' })
    }
    expect(memory.find('a', vectorOf('question 1').slice(0, 63)).result).toBe('unknown')
  })

  it('finds neither a neighbour nor a vector that agrees in its signs only', () => {
    const { memory } = openMemory()
    const vector = vectorOf('q')
    memory.remember('a', vector, 'q')
    const near = scaled(vector.map((value, at) => value * (at % 2 === 0 ? 1.01 : 0.99)))
    expect(memory.find('a', near)).toEqual({ text: null, result: 'unknown' })
  })

  it('takes none of two different questions with one vector or one direction, and the last spelling of one question', () => {
    const { memory } = openMemory()
    const vector = vectorOf('?')
    memory.remember('a', vector, 'What is RAG?')
    memory.remember('a', vector, ' what  is rag?')
    expect(memory.find('a', vector).text).toBe(' what  is rag?')
    memory.remember('a', vector, 'What is a rag?')
    expect(memory.find('a', vector)).toEqual({ text: null, result: 'ambiguous' })
    memory.remember('a', vector, 'What is RAG?')
    expect(memory.find('a', vector.slice(0, 64))).toEqual({ text: null, result: 'ambiguous' })

    const other = vectorOf('!')
    memory.remember('b', other, 'one')
    memory.remember('b', other.slice(0, 70), 'another')
    expect(memory.find('b', other.slice(0, 66))).toEqual({ text: null, result: 'ambiguous' })
    expect(memory.find('b', other)).toEqual({ text: 'one', result: 'exact' })
  })

  it.each([
    ['empty', []],
    ['zero', new Float32Array(96)],
    ['NaN', [Number.NaN, 1]],
    ['infinite', [1, Number.POSITIVE_INFINITY]],
    ['beyond float32', [1e39, 1]],
  ])('leaves out a vector that is %s', (_name, vector) => {
    const { memory } = openMemory()
    expect(memory.remember('a', vector, 'q')).toBe(false)
    expect(memory.find('a', vector)).toEqual({ text: null, result: 'unknown' })
    expect(memory.size).toBe(0)
  })

  it('remembers nothing when it has no room', () => {
    const { memory } = openMemory(0)
    expect(memory.remember('a', [1, 2], 'q')).toBe(false)
    expect(memory.find('a', [1, 2]).text).toBeNull()
  })

  it('counts a long question several times, so that the text is bounded, too', () => {
    const { memory } = openMemory(10)
    memory.remember('a', [1, 0], 'x'.repeat(9 * 1_024))
    memory.remember('a', [0, 1], 'y')
    expect(memory.size).toBe(2)
    memory.remember('a', [1, 1], 'z')
    expect(memory.find('a', [1, 0]).text).toBeNull()
    expect(memory.size).toBe(2)
  })

  it('is what a naive list is: scopes, age, order of use, and whose question goes first', () => {
    interface Known {
      scope: string
      name: string
      text: string | null
      until: number
    }
    const texts = ['one', 'ONE ', 'two', 'long'.repeat(300)]
    const step = fc.record({
      scope: fc.constantFrom('a', 'b', 'c'),
      name: fc.constantFrom('p', 'q', 'r', 's', 't'),
      text: fc.constantFrom(null, ...texts),
      wait: fc.constantFrom(0, 0, 0, 100, 400),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 2, max: 9 }), (steps, room) => {
        const { memory, clock } = openMemory(room)
        // In the order of use, the last used one at the end.
        let list: Known[] = []
        const weightIn = (scope: string) =>
          list.filter(one => one.scope === scope).reduce((sum, { text }) => sum + weightOf(text), 0)
        // Of equal weights, the one that was reached first goes first.
        let weights: { scope: string; weight: number }[] = []
        const weigh = () => {
          const stay = weights.filter(({ scope, weight }) => weightIn(scope) === weight)
          const isNew = (scope: string) => weightIn(scope) > 0 && !stay.some(one => one.scope === scope)
          weights = [...stay, ...['a', 'b', 'c'].filter(isNew).map(scope => ({ scope, weight: weightIn(scope) }))]
        }
        for (const { scope, name, text, wait } of steps) {
          clock.time += wait
          const known = list.find(one => one.scope === scope && one.name === name && one.until >= clock.time)
          if (text === null) {
            list = list.filter(one => !(one.scope === scope && one.name === name))
            if (known) list.push(known)
            weigh()
            expect(memory.find(scope, vectorOf(name)).text).toBe(known?.text ?? null)
            continue
          }
          const isOne = known === undefined || known.text?.trim().toLowerCase() === text.trim().toLowerCase()
          list = list.filter(one => !(one.scope === scope && one.name === name))
          list.push({ scope, name, text: isOne ? text : null, until: clock.time + TTL_MS })
          weigh()
          memory.remember(scope, vectorOf(name), text)
          while (list.reduce((sum, one) => sum + weightOf(one.text), 0) > room) {
            const heaviest = weights.reduce((most, one) => (one.weight > most.weight ? one : most))
            list.splice(
              list.findIndex(one => one.scope === heaviest.scope),
              1,
            )
            weigh()
          }
        }
        for (const scope of ['a', 'b', 'c'])
          for (const name of ['p', 'q', 'r', 's', 't']) {
            const known = list.find(one => one.scope === scope && one.name === name && one.until >= clock.time)
            expect(memory.find(scope, vectorOf(name)).text).toBe(known?.text ?? null)
          }
      }),
    )
  })

  it('does not let one scope push out the questions of another', () => {
    const { memory } = openMemory(100)
    for (let at = 0; at < 10; at++) memory.remember('quiet', vectorOf(`quiet ${at}`), `quiet ${at}`)
    for (let at = 0; at < 1_000; at++) memory.remember('flood', vectorOf(`flood ${at}`), `flood ${at}`)
    for (let at = 0; at < 10; at++) expect(memory.find('quiet', vectorOf(`quiet ${at}`)).text).toBe(`quiet ${at}`)
    expect(memory.size).toBe(100)
  })

  it('forgets old questions without being asked', async () => {
    const memory = createQuestionMemory({ vectors: 10, ttlMs: 20 })
    memory.remember('a', vectorOf('q'), 'q')
    await expect.poll(() => memory.size).toBe(0)
    memory.close()
  })
})
