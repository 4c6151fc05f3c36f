import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage()
  const place = (letter: string) => ({ doc_id: letter, doc_title: `Sheet ${letter}` })
  await fill(stowage.url, 'harbour', [
    chunk(1, 'The windlass lifts the anchor in four minutes.', place('d')),
    chunk(2, 'A windlass wants grease before winter comes.', place('m')),
    chunk(3, 'The lantern on the quay burns whale oil.', place('b')),
    chunk(4, 'Every lantern is numbered in brass.', place('p')),
    chunk(5, 'The crane stands idle on feast days.', place('a')),
  ])
})
afterAll(() => stowage.close())

const ask = async (query: string, session_id: string | undefined, format = 'markdown') => {
  const { json } = await stowage.ask({ query, collection: 'harbour', order: 'stable', format, session_id })
  return { context: json.context, ids: json.chunks.map(({ id }) => id) }
}

describe('the stable order within a session', () => {
  it('appends new chunks to what the session has seen', async () => {
    const first = await ask('windlass', 'append')
    expect(first.ids).toEqual([1, 2])
    const second = await ask('windlass lantern', 'append')
    expect(second.ids).toEqual([1, 2, 3, 4])
    expect(second.context.startsWith(first.context)).toBe(true)
    const third = await ask('windlass lantern crane', 'append')
    expect(third.context.startsWith(second.context)).toBe(true)
    expect(third.ids).toEqual([1, 2, 3, 4, 5])
  })

  it('does not depend on another session, nor on none', async () => {
    const expected = [3, 1, 2, 4]
    await ask('windlass', 'one')
    expect((await ask('windlass lantern', 'two')).ids).toEqual(expected)
    expect((await ask('windlass lantern', undefined)).ids).toEqual(expected)
  })

  it.each(['markdown', 'xml', 'json'])('gives the same set the same bytes, whatever was asked: %s', async format => {
    const one = await ask('windlass lantern', undefined, format)
    const other = await ask('windlass greased for winter, lantern numbered', undefined, format)
    expect(other.ids).toEqual(one.ids)
    expect(other.context).toBe(one.context)
  })
})
