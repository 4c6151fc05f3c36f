import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { addAnswerability } from '../../../src/rank/answerability/answerability.ts'
import { namedEntries } from '../../../src/rank/answerability/named-entries.ts'
import { candidate } from '../../support/candidates.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'

const entriesFor = (query: string, texts: readonly string[]) =>
  finish(
    namedEntries(
      query,
      texts.map(text => ({ place: '', text })),
    ),
  )
const isFound = (query: string, passage: string) => entriesFor(query, [passage])[0]

describe('entries for a name in a question', () => {
  it.each([
    ['a row', '| Name | Meaning |\n| --- | --- |\n| maxThreads | The most threads. |'],
    ['a row with marks', '| Name | Meaning |\n| --- | --- |\n| **`maxThreads`** | The most threads. |'],
    ['an item in code', 'Text.\n\n- `maxThreads`: the most threads'],
    ['an item in bold', '*   **maxThreads** is the most.'],
    ['a term', '`maxThreads`\n\n  The most threads.'],
    ['a heading', '### maxThreads in more detail\n\nThe most threads.'],
    ['a heading in code', '## `maxThreads`\n'],
  ])('are %s', (_, passage) => {
    expect(isFound('default of maxThreads', passage)).toBe(true)
    expect(isFound('MAXTHREADS?', passage)).toBe(true)
  })

  it.each([
    ['in text', 'The maxThreads of the pool.'],
    ['in code within a sentence', 'Set `maxThreads` to 200.'],
    ['in a heading behind another word', '## The maxThreads\n\nMany.'],
    ['in another cell', '| Name | Meaning |\n| --- | --- |\n| pool | maxThreads |'],
    ['of a column', '| maxThreads | Meaning |\n| --- | --- |\n| pool | 200 |'],
    ['as a part of a longer one', '| Name | Meaning |\n| --- | --- |\n| maxThreads of the pool | 200 |'],
    ['as a part of a word', '- `axThread`: none'],
  ])('are not names %s', (_, passage) => {
    expect(isFound('default of maxThreads', passage)).toBe(false)
  })

  it('are headings only with an identifier', () => {
    expect(isFound('What is the limit of ISH-4409?', '## ISH-4409 and others\n\nSand.')).toBe(true)
    expect(isFound('What is the pump for?', '## Pump\n\nFor water.')).toBe(false)
  })

  it('are lines that give a value to an identifier, in code and outside of it', () => {
    for (const line of ['queue_size: 200', '[ queue_size: <int> ]', '# queue_size = 200', '"queue_size": 200,'])
      expect(isFound('What is the default of queue_size?', `Text.\n\n\`\`\`\n${line}\n\`\`\``)).toBe(true)
    expect(isFound('How do I set the queue size?', 'queue_size: 200')).toBe(true)
    expect(isFound('What is the default of queue_size?', 'use(queue_size, 200)')).toBe(false)
  })

  it('are lines of code that give a value to a plain word, where the place has another word of the question', () => {
    const found = (query: string, text: string, place = 'Settings > Web server') =>
      finish(namedEntries(query, [{ place, text }]))[0]
    const code = '```yaml\nport: 9093\n```'
    expect(found('What port does the web server listen on?', code)).toBe(true)
    expect(found('port of the mail server', code, 'Mail')).toBe(true)
    expect(found('What port does it listen on?', code)).toBe(false)
    expect(found('port of the web server', code, 'Port')).toBe(false)
    expect(found('port of the web server', 'port: 9093')).toBe(false)
    expect(found('port of the web server', `\`\`\`\nhost: a\n\`\`\`\nport: 9093`)).toBe(false)
  })

  it('may have several words, which the question has one after the other', () => {
    const passage = '| Fee | Coins |\n| --- | --- |\n| Late mooring | 4 |'
    expect(isFound('What is the late mooring fee?', passage)).toBe(true)
    expect(isFound('What is late about the mooring fee?', passage)).toBe(false)
  })

  it('do not count when more than three passages have them', () => {
    const passages = (count: number) => Array.from({ length: count }, (_, at) => `- \`id\`: of ${at}`)
    expect(entriesFor('id of a pump', passages(3))).toEqual([true, true, true])
    expect(entriesFor('id of a pump', passages(4))).toEqual([false, false, false, false])
  })

  it('count when more than three passages have them and at most three stand in a place that the question names', () => {
    const passages = ['volume rm', 'network rm', 'image rm', 'volume prune', 'volume'].map(place => ({
      place: `docker ${place} > Options`,
      text: '| `--force` | Asks nothing. |',
    }))
    const found = (query: string) => finish(namedEntries(query, passages))
    expect(found('--force of docker network rm')).toEqual([false, true, false, false, false])
    expect(found('--force of docker rm')).toEqual([true, true, true, false, false])
    expect(found('--force in docker')).toEqual([false, false, false, false, false])
    expect(found('--force')).toEqual([false, false, false, false, false])
  })

  it('take steps that read the place of one passage each, however many names the question has', () => {
    let read = 0
    let most = 0
    const names = Array.from({ length: 200 }, (_, at) => `-${String.fromCharCode(97 + (at % 26))}${at}`)
    const text = names.map(name => `${name}  is an option`).join('\n')
    const passages = Array.from({ length: 50 }, () => ({
      text,
      get place() {
        read += 1
        return 'a place'
      },
    }))
    for (const _ of namedEntries(names.join(' '), passages)) {
      most = Math.max(most, read)
      read = 0
    }
    expect(most).toBe(1)
  })

  it('are found in any text, once for each passage', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...HOSTILE_TEXTS), fc.constant('- `pump`: one\n- `pump`: two'))
    fc.assert(
      fc.property(fc.string(), fc.array(text, { maxLength: 4 }), (query, passages) => {
        expect(entriesFor(query, passages)).toHaveLength(passages.length)
      }),
      { numRuns: 50 },
    )
  })

  it('raise a candidate by the whole bonus, and the trace names the reason', () => {
    const row = candidate({ id: 1, text: '| Name | Meaning |\n| --- | --- |\n| `maxThreads` | Many. |' }, 0.5)
    const other = candidate({ id: 2, text: 'The maxThreads of the pool.' }, 0.55)
    const [first, second] = finish(addAnswerability([other, row], 'meaning of maxThreads', 'exploratory', 0.1))
    expect(first?.answerability).toEqual({ bonus: 0.1, features: ['entry that it names'] })
    expect([first?.chunk.id, first?.value]).toEqual([1, 0.6])
    expect(second?.answerability).toEqual({ bonus: 0, features: [] })
  })
})
