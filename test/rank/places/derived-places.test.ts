import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import type { Chunk } from '../../../src/core/types.ts'
import { storedOrderIndex, withDerivedPlaces } from '../../../src/rank/places/derived-places.ts'
import { candidate } from '../../support/candidates.ts'

/** The derived places of chunks of one document without an order index. */
function placesOf(chunks: Partial<Chunk>[]): (number | null)[] {
  const candidates = chunks.map((chunk, id) => candidate({ id, docId: 'a', orderIndex: null, ...chunk }, 1))
  return finish(withDerivedPlaces(candidates)).map(({ chunk }) => chunk.orderIndex)
}
const from = (charStart: number, text: string, more: Partial<Chunk> = {}) => ({ charStart, text, ...more })
const lines = (first: number, last: number, text: string, more: Partial<Chunk> = {}) => ({
  lines: { first, last },
  text,
  ...more,
})

describe('withDerivedPlaces', () => {
  it('follows offsets, also where the splitter took white space away or repeats text', () => {
    const [one, two, three] = ['The pump stops at noon.', 'Wait for the tide.', 'Wait for the tide. Then go home.']
    expect(placesOf([from(25, two), from(0, one), from(25, three)])).toEqual([1, 0, 2])
    expect(placesOf([from(60, 'Much later.'), from(0, one)])).toEqual([2, 0])
    expect(placesOf([from(10, one), from(35, two)])).toEqual([2, 3])
  })

  it('does not join texts whose offsets overlap and that share nothing: the offsets begin anew', () => {
    const [one, two] = ['A page about pumps and what they need.', 'Another page, about the lamps of the quay.']
    expect(placesOf([from(0, one), from(5, two)])).toEqual([0, 2])
  })

  it('joins no chunks by offsets alone where others of the document deny them, as rows of a table do that are cut alike', () => {
    const rows = ['The first row is about pumps.', 'The second row is about lamps.']
    const rest = from(30, 'It goes on.')
    expect(placesOf([from(0, rows[0] ?? ''), rest])).toEqual([0, 1])
    expect(placesOf([from(0, rows[0] ?? ''), from(0, rows[1] ?? ''), rest])).toEqual([0, 2, 4])
  })

  it('counts characters as Python does where no ends are stored', () => {
    expect(placesOf([from(0, 'The pump stops. 🔔🔔🔔🔔🔔🔔'), from(27, 'Wait for the tide.')])).toEqual([0, 2])
    expect(placesOf([from(0, 'The pump stops. 🔔🔔🔔🔔🔔🔔'), from(23, 'Wait for the tide.')])).toEqual([0, 1])
  })

  it('gives the event loop a turn for each chunk with offsets', () => {
    const text = 'ab '.repeat(4_000)
    const candidates = Array.from({ length: 50 }, (_, id) =>
      candidate(
        { id, docId: 'a', orderIndex: null, charStart: 3 * id, charEnd: 20_000 + id, text: `${id} ${text}` },
        1,
      ),
    )
    expect([...withDerivedPlaces(candidates)].length).toBeGreaterThanOrEqual(candidates.length)
  })

  it('goes page by page, and joins nothing across pages', () => {
    const pages = [from(0, 'Second page.', { page: 2 }), from(0, 'First page.', { page: 1 })]
    expect(placesOf(pages)).toEqual([2, 0])
  })

  it('follows lines, and on one line the text that chunks share', () => {
    const shared = 'and waits for the tide to turn'
    const two = lines(4, 4, `${shared}, then goes home`)
    expect(placesOf([lines(6, 9, 'Lamps.'), two, lines(1, 4, `The crew stops ${shared}`)])).toEqual([2, 1, 0])
    expect(placesOf([lines(1, 4, 'Pumps.'), lines(7, 9, 'Lamps.')])).toEqual([0, 2])
    expect(placesOf([lines(4, 4, 'Pumps.'), lines(4, 5, 'Lamps.')])).toEqual([2, 4])
    expect(placesOf([two, lines(4, 4, `The crew stops ${shared}`)])).toEqual([3, 2])
  })

  it('joins nothing by lines to the parts of a line whose order is not known', () => {
    const long = [lines(4, 4, 'The crew stops the pump'), lines(4, 4, 'and waits for the tide.')]
    const [above, below] = [lines(1, 3, 'Pumps.'), lines(5, 6, 'Lamps.')]
    expect(placesOf([above, ...long, below])).toEqual([0, 2, 4, 6])
    expect(placesOf([above, long[0] ?? {}, below])).toEqual([0, 1, 2])
  })

  it('uses shared text where nothing else is stored, and else keeps the order of the candidates', () => {
    const shared = 'the crew waits for the tide to turn'
    const [one, two] = [{ text: `At noon ${shared}` }, { text: `${shared}, then goes home` }]
    expect(placesOf([{ text: 'Lamps burn oil.' }, two, one])).toEqual([2, 5, 4])
    expect(placesOf([from(0, 'Lamps burn oil.'), two, one])).toEqual([2, 5, 4])
  })

  it('gives the same text one place', () => {
    expect(placesOf([from(0, 'The pump stops.'), from(0, 'The pump stops.'), from(16, 'Wait.')])).toEqual([0, 0, 1])
  })

  it('leaves documents alone that have an order index, and chunks that are alone in their document', () => {
    expect(placesOf([from(0, 'One.', { orderIndex: 7 }), from(5, 'Two.')])).toEqual([7, null])
    expect(placesOf([from(0, 'One.')])).toEqual([null])
    expect(placesOf([from(0, 'One.'), from(4, 'Two.', { docId: 'b' })])).toEqual([null, null])
  })

  it('says which places the collection stores', () => {
    const stored = candidate({ orderIndex: 7 }, 1)
    const both = ['One.', 'Two.'].map((text, id) => candidate({ id, docId: 'b', orderIndex: null, text }, 1))
    const places = finish(withDerivedPlaces([stored, ...both])).map(({ chunk }) => storedOrderIndex(chunk))
    expect(places).toEqual([7, null, null])
  })
})
