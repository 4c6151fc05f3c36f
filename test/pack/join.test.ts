import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../src/core/types.ts'
import { joinUnits } from '../../src/pack/layout.ts'
import { candidate } from '../support/candidates.ts'

const CODE = 'upstream app {\n  server one;\n  server two;\n    deeper;\n}\n\n\n\nThe end.'

/** A text in chunks that touch, each packed whole. */
function joined(...ends: number[]): string | undefined {
  const units = [...ends, CODE.length].map((end, at) => {
    const start = at === 0 ? 0 : (ends[at - 1] ?? 0)
    const text = CODE.slice(start, end)
    const place = { id: at, orderIndex: at, charStart: start, charEnd: end, text }
    return { candidate: candidate(place), start: 0, end: text.length, value: 1 }
  })
  return joinUnits(units)[0]?.text
}

describe('chunks whose offsets are unknown', () => {
  const joined = (left: string, right: string, places: [number | null, number | null] = [null, null]) => {
    const units = [left, right].map((text, at) => ({
      ...{ start: 0, end: text.length, value: 1 },
      candidate: candidate({ id: at, orderIndex: at, charStart: places[at] ?? null, charEnd: null, text }),
    }))
    return joinUnits(units).map(({ text }) => text)
  }

  it.each([
    ['a number', 'The limit for guests is 1', '10 requests are allowed for members.'],
    ['the end of a row', '| Basic | 10 |', '| Pro | 20 |'],
    ['a fence', '```sh\nkill 1\n```', '```js\nstart()\n```'],
    ['stars', 'This is **mandatory**', '**Warning** Never open it.'],
    ['a letter', 'The lead goes to port A', 'All other ports stay empty.'],
  ])('keep %s that both have by chance', (_name, left, right) => {
    expect(joined(left, right)).toEqual([`${left}\n${right}`])
    expect(joined(left, right, [0, left.length + 1])).toEqual([`${left}\n${right}`])
  })

  it('are joined by where they begin, however little they share', () => {
    const text = 'The bell rings. It is loud. Nobody sleeps.'
    expect(joined(text.slice(0, 21), text.slice(16), [0, 16])).toEqual([text])
    expect(joined(text.slice(0, 27), text.slice(16), [null, 16])).toEqual([`${text.slice(0, 27)}\n${text.slice(16)}`])
    expect(joined(text.slice(0, 30), text.slice(10))).toEqual([text])
  })
})

it.each<[string, Partial<Chunk>, Partial<Chunk>, string]>([
  ['offsets without ends', { charStart: 0 }, { charStart: 17 }, '\n\n'],
  ['offsets without ends, one apart', { charStart: 0 }, { charStart: 16 }, '\n'],
  ['lines', { lines: { first: 1, last: 1 } }, { lines: { first: 3, last: 4 } }, '\n\n'],
  ['lines that follow each other', { lines: { first: 1, last: 1 } }, { lines: { first: 2, last: 4 } }, '\n'],
])('an empty line between chunks is seen by %s', (_name, left, right, separator) => {
  const texts = ['The bell rings.', 'Nobody sleeps.']
  const units = [left, right].map((place, at) => ({
    ...{ start: 0, end: texts[at]?.length ?? 0, value: 1 },
    candidate: candidate({ id: at, orderIndex: at, charStart: null, charEnd: null, text: texts[at] ?? '', ...place }),
  }))
  expect(joinUnits(units).map(({ text }) => text)).toEqual([texts.join(separator)])
})

/** Two chunks that follow each other, each packed whole. */
function joinedPair(...chunks: [Partial<Chunk>, Partial<Chunk>]): string[] {
  const units = chunks.map((chunk, at) => ({
    ...{ start: 0, end: chunk.text?.length ?? 0, value: 1 },
    candidate: candidate({ id: at, orderIndex: at, charStart: null, charEnd: null, ...chunk }),
  }))
  return joinUnits(units).map(({ text }) => text)
}

describe('a line that is repeated in the document', () => {
  const line = 'ERROR the pump does not answer'
  const [left, right] = [`Noon:\n${line}`, `${line}\nIt answers again.`]
  it.each<[string, Partial<Chunk>, Partial<Chunk>]>([
    ['offsets without ends', { charStart: 0 }, { charStart: left.length + 1 }],
    ['offsets', { charStart: 0, charEnd: left.length }, { charStart: left.length + 1, charEnd: 99 }],
    ['lines', { lines: { first: 1, last: 2 } }, { lines: { first: 3, last: 4 } }],
  ])('is kept where %s say that the chunks share nothing', (_name, first, second) => {
    expect(joinedPair({ text: left, ...first }, { text: right, ...second })).toEqual([`${left}\n${right}`])
  })
})

describe('offsets that count characters as Python does', () => {
  const document = '🔔 The bell rings. 🔔🔔 It is loud. Nobody sleeps.'
  const chunk = (start: number, end: number) => ({
    text: Array.from(document).slice(start, end).join(''),
    charStart: start,
  })
  const withEnd = (start: number, end: number) => ({ ...chunk(start, end), charEnd: end })

  it('show text that chunks share once', () => {
    expect(joinedPair(withEnd(0, 24), withEnd(17, 48))).toEqual([document])
    expect(joinedPair(chunk(0, 34), chunk(17, 48))).toEqual([document])
  })

  it('do not join words', () => {
    expect(joinedPair(chunk(0, 17), chunk(18, 48))).toEqual([document.replace('. ', '.\n')])
  })
})

it('chunks of one long line that share nothing are not joined to one word', () => {
  const lines = { first: 4, last: 4 }
  expect(joinedPair({ text: 'The bell', lines }, { text: 'rings.', lines })).toEqual(['The bell\nrings.'])
})

describe('chunks that touch', () => {
  it('keep the indentation of code wherever they are cut', () => {
    for (let end = 1; end < CODE.length; end++)
      expect(joined(end)?.replace(/\n{3,}/gu, '\n\n')).toBe(CODE.replace(/\n{3,}/gu, '\n\n'))
  })

  it('have at most one empty line between them', () => {
    const end = CODE.indexOf('}') + 1
    expect(joined(end + 2)).toContain('}\n\nThe end.')
  })
})

describe('chunks with white space between them that no chunk has', () => {
  const DOCUMENT =
    '| code | meaning |\n|---|---|\n| 4 | no water |\n\nEvery other code is free.\nAsk the keeper.\n\n```sh\nring 4\n```'
  /** The document in chunks that begin with these words, without the white space around them. */
  const joined = (starts: string[], knowsPlaces: boolean) => {
    const places = starts.map(start => DOCUMENT.indexOf(start))
    const units = places.map((charStart, at) => {
      const text = DOCUMENT.slice(charStart, places[at + 1]).trim()
      const place = knowsPlaces ? { charStart, charEnd: charStart + text.length } : {}
      const chunk = candidate({ id: at, orderIndex: at, text, ...place })
      return { candidate: chunk, start: 0, end: text.length, value: 1 }
    })
    return joinUnits(units).map(({ text }) => text)
  }

  it('stand apart as in the document', () => {
    expect(joined(['| code', 'Every', 'Ask', '```'], true)).toEqual([DOCUMENT])
  })

  it('never go on with a table as one more row', () => {
    expect(joined(['| code', 'Every'], false)).toEqual([DOCUMENT])
    expect(joined(['| code', '| 4', 'Every'], false)).toEqual([DOCUMENT])
  })
})

it('a table whose first rows are left out has its head once', () => {
  const head = '| code | meaning |\n|---|---|\n'
  const first = '| 4 | no water |\n| 5 | no pump |'
  const second = '| 6 | no bell |\n| 7 | no keeper |'
  const stored = (rows: string, at: number) => {
    // The second part of the table got the head when it was stored.
    const charEnd = head.length + (at === 0 ? first.length : `${first}\n${second}`.length)
    const charStart = at === 0 ? 0 : charEnd - rows.length
    return candidate({ id: at, orderIndex: at, text: head + rows, charStart, charEnd })
  }
  const [left, right] = [stored(first, 0), stored(second, 1)]
  const lastRow = left.chunk.text.indexOf('| 5')
  const units = [
    { candidate: left, start: 0, end: head.length, value: 1 },
    { candidate: left, start: lastRow, end: left.chunk.text.length, value: 1 },
    { candidate: right, start: 0, end: right.chunk.text.length, value: 1 },
  ]
  expect(joinUnits(units).map(({ text }) => text)).toEqual([head.trimEnd(), `| 5 | no pump |\n${second}`])
})

describe('the first part of a block', () => {
  /** The text of a chunk from `start` on. */
  const shown = (text: string, start = 0) =>
    joinUnits([{ candidate: candidate({ id: 1, text }), start, end: text.length, value: 1 }])[0]?.text

  it.each([
    ['a term', '   hintstyle\n      How much hinting.\n\n   dpi', 'hintstyle\n   How much hinting.\n\ndpi'],
    ['prose', '\tIf zlib is compiled,\n\tuse it.', 'If zlib is compiled,\nuse it.'],
    ['answers', '    Yes.\n\n2. Is it old?\n\n    No.', '    Yes.\n\n2. Is it old?\n\n    No.'],
    ['one deep line', '    First line\nof a paragraph.', 'First line\nof a paragraph.'],
    // Too much of it is a comment.
    [
      'a function',
      '    def ask(self):\n        # The answer of the sea.\n        return 42',
      'def ask(self):\n    # The answer of the sea.\n    return 42',
    ],
  ])('loses the indentation of all its lines, and keeps what is deeper: %s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['of a quotation', '>\n> Yes.\n>\n> No.\n>', '> Yes.\n>\n> No.'],
    ['of a quotation, deeper', '  >\n  > Yes.\n', '> Yes.'],
    ['of none, which are code', 'a\n  b="c"\n>', 'a\n  b="c"\n>'],
    ['of none, at the start', '>\nYes.', '>\nYes.'],
  ])('has no blank lines around it %s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it('is code where its chunk is code', () => {
    const code =
      'def ask(sea):\n    for wave in sea:\n        if wave.high():\n            pass\n    return sea.level()\n'
    expect(shown(code, code.indexOf('            pass'))).toBe('        pass\nreturn sea.level()')
  })
})

describe('a later part of a chunk', () => {
  /** The parts of a chunk that hold these texts. */
  const shown = (text: string, ...parts: string[]) =>
    joinUnits(
      parts.map(part => {
        const start = text.indexOf(part)
        return { candidate: candidate({ id: 1, text }), start, end: start + part.length, value: 1 }
      }),
    ).map(part => part.text)

  const manual = `       Undo a commit

               $ git reset HEAD^

           Nothing else. The files of
           the tree stay.

       Undo a merge

           1. Pull.
               Deeper.
`
  const module = `class Lid:
    def open(self):
        self.on()

    def stop(self):
        self.off()
`

  it('is a sibling of the first one where it was, and keeps what is deeper', () => {
    const [head = '', merge = ''] = [
      '       Undo a commit',
      '       Undo a merge\n\n           1. Pull.\n               Deeper.',
    ]
    expect(shown(manual, head, merge)).toEqual(['Undo a commit', 'Undo a merge\n\n    1. Pull.\n        Deeper.'])
    expect(shown(manual, head, '           1. Pull.\n               Deeper.')).toEqual([
      'Undo a commit',
      '    1. Pull.\n        Deeper.',
    ])
    expect(shown(module, '    def open(self):', '    def stop(self):\n        self.off()')).toEqual([
      'def open(self):',
      'def stop(self):\n    self.off()',
    ])
  })

  it('keeps its lines in their places where one of them stands further out', () => {
    expect(shown(manual, '           Nothing else.', '       Undo a merge\n\n           1. Pull.')).toEqual([
      'Nothing else.',
      'Undo a merge\n\n    1. Pull.',
    ])
  })

  it('keeps its indentation behind a first part that has none', () => {
    expect(shown(module, 'class Lid:', '    def stop(self):\n        self.off()')).toEqual([
      'class Lid:',
      '    def stop(self):\n        self.off()',
    ])
  })

  it('loses the indentation of its line where it begins inside of one, as a first part does', () => {
    const words = 'The files of\n           the tree stay.'
    expect(shown(manual, '       Undo a commit', words)).toEqual(['Undo a commit', 'The files of\nthe tree stay.'])
    expect(shown(manual, words)).toEqual(['The files of\nthe tree stay.'])
  })
})
