import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { type PackOptions, pack } from '../../../src/pack/pack.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { bestWindow } from '../../../src/pack/sentences/best-run.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { terms } from '../../../src/text/terms/terms.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'

const QUERY = 'harbour tide'

const options = (budgetTokens: number): PackOptions => ({
  ...NAMED_PLANS.measured.packing,
  budgetTokens,
  maxChunks: null,
  format: 'markdown',
  order: 'relevance',
})

const newCost = (budget: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), budget)

function windowIn(text: string, query: string | null, room: number): string[] {
  const units = finish(bestWindow(candidate({ id: 'a', text }), query, room, newCost(room)))
  return units.map(({ start, end }) => text.slice(start, end).trim())
}

const sentence = fc
  .array(fc.constantFrom('harbour', 'tide', 'pump', 'gate', 'lamp', 'stone'), { minLength: 1, maxLength: 6 })
  .map(words => `The ${words.join(' ')}.`)
const prose = fc.array(sentence, { minLength: 1, maxLength: 12 }).map(sentences => sentences.join(' '))
const paragraphs = fc
  .array(fc.tuple(sentence, fc.constantFrom(' ', ' ', '\n\n')), { minLength: 1, maxLength: 12 })
  .map(parts =>
    parts
      .map(([text, after]) => text + after)
      .join('')
      .trim(),
  )

describe('the best run of sentences of a chunk', () => {
  it('fits, and begins where the best of all runs that fit begins', () => {
    fc.assert(
      fc.property(paragraphs, fc.integer({ min: 5, max: 60 }), (text, room) => {
        const chunk = candidate({ id: 'a', text })
        const cost = newCost(room)
        const costOf = (start: number, end: number) => finish(cost.costOf({ candidate: chunk, start, end, value: 1 }))
        const units = finish(bestWindow(chunk, QUERY, room, cost))
        for (const [at, { start }] of units.entries()) if (at > 0) expect(start).toBe(units[at - 1]?.end)
        const best = naiveRuns(text, room - costOf(0, 0)).sort((a, b) => b.score - a.score)
        const [first] = units
        if (!first) {
          expect(best.filter(({ start, end }) => costOf(start, end) <= room)).toEqual([])
          return
        }
        expect(costOf(first.start, units.at(-1)?.end ?? 0)).toBeLessThanOrEqual(room)
        const chosen = best.find(({ start }) => start === first.start)
        const fitting = best.filter(({ start, end }) => costOf(start, end) <= room)
        expect(chosen?.score).toBeGreaterThanOrEqual((fitting[0]?.score ?? 0) - 1e-9)
      }),
      { numRuns: 300 },
    )
  })

  const ROOM = 26
  const PARAGRAPHS = [
    'The hall is cold. The keeper sleeps there. The pump stands in it.',
    'The pump lifts the water. It has two rods. The pump is old.',
    'The lamps are lit. The gate opens at dusk.',
  ]

  it('is a whole paragraph, not parts of two that match as well', () => {
    expect(windowIn(PARAGRAPHS.join('\n\n'), 'pump', ROOM).join(' ')).toBe(PARAGRAPHS[1])
  })

  it('is the longest run without a query, and without a term of it', () => {
    const text = `The hall. The bell rings. ${PARAGRAPHS[0]} The rope hangs. It is.`
    const longest = 'The keeper sleeps there. The pump stands in it. The rope hangs. It is.'
    for (const query of [null, '', '?!']) expect(windowIn(text, query, ROOM).join(' ')).toBe(longest)
  })

  const TABLE = [
    'Sizes of the pumps.',
    '',
    '| pump | casks |',
    '| --- | --- |',
    ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map(name => `| Mark ${name} | 1${name} |`),
  ].join('\n')

  it('in a table comes with the head of the table', () => {
    const found = windowIn(TABLE, 'Mark seven', 40)
    expect(found.slice(0, 2)).toEqual(['| pump | casks |', '| --- | --- |'])
    expect(found.slice(2).join()).toContain('Mark seven')
  })

  it.each([
    [
      'without outer pipes',
      'Part | Torque | Unit\n--- | --- | ---\n',
      (at: number) => `bolt${at} | ${100 + at} | Nm\n`,
    ],
    [
      'in an item of a list',
      '    | Part | Torque | Unit |\n    | --- | --- | --- |\n',
      (at: number) => `    | bolt${at} | ${100 + at} | Nm |\n`,
    ],
    [
      'that is drawn with signs',
      '+-+-+-+\n| Part | Torque | Unit |\n+-+-+-+\n',
      (at: number) => `| bolt${at} | ${100 + at} | Nm |\n`,
    ],
    [
      'that is drawn with a rule below each row',
      '+-+-+-+\n| Part | Torque | Unit |\n+=+=+=+\n',
      (at: number) => `| bolt${at} | ${100 + at} | Nm |\n+-+-+-+\n`,
    ],
  ])('comes with the head of a table %s', (_, head, row) => {
    const text = `1. The screws need these values.\n\n${head}${Array.from({ length: 20 }, (_, at) => row(at)).join('')}`
    const found = windowIn(text, 'What torque has bolt17?', 70)
    const shown = (part: string) => part.split('\n').map(line => line.trim())
    expect(found.slice(0, 2).flatMap(shown)).toEqual(shown(head.trimEnd()))
    expect(found.slice(2).join()).toMatch(/bolt17 \| 117/u)
  })

  it('in a table counts the words of the head for each run, because it comes with each', () => {
    const rows = Array.from({ length: 20 }, (_, at) => `| bolt${at} | ${100 + at} | Nm |`).join('\n')
    const text = `The screws need these values.\n\n| Part | Torque | Unit |\n| --- | --- | --- |\n${rows}\n`
    expect(windowIn(text, 'What torque has bolt17?', 60).join()).toContain('| bolt17 |')
  })

  it('in a table has the row whose cell the question names, also where another row has more of its words', () => {
    const rows = [
      'tide gate | harbour tide of the pump',
      'lamp | oil',
      'pump | rope',
      'stone gate | tide',
      'bell | rope',
    ]
    const text = ['| part | what it needs |', '|---|---|', ...rows.map(row => `| ${row} |`)].join('\n')
    expect(windowIn(text, 'harbour tide: the stone gate', 35).join()).toContain('| stone gate | tide |')
  })

  it('in code that does not fit comes with both fences', () => {
    const block = (name: string) => `pump ${name} --start\npump ${name} --wait\n\n`
    const code = ['first', 'second', 'third', 'fourth'].map(block).join('')
    const text = `## Pumps\n\n\`\`\`sh\n${code}\`\`\`\n`
    for (let budget = 30; budget < 56; budget++) {
      const { context, tokens } = finish(
        pack([candidate({ text })], 'how to start the third pump', options(budget), inSteps(countWords)),
      )
      expect(tokens).toBeLessThanOrEqual(budget)
      expect(context).toMatch(/\n```sh\n(?:\[…\]\n)?(?:.*\n)*pump third --start\n(?:.*\n)*```\n$/u)
    }
  })

  it('does not end with a heading or a lead-in, and is never only these', () => {
    const text =
      '## Pumps\n\nThe old pump stands. It is worn out and loud. You need:\n\n- a rod\n- a bell and two brass weights'
    for (let room = 5; room < 60; room++)
      expect(windowIn(text, 'what do you need for the pumps', room).at(-1) ?? '').not.toMatch(/(?:Pumps|need:)$/u)
  })

  it.each([
    [
      'a question that ends its paragraph',
      'The old pump stands here.\n\nWho may open the pump?\n\n- only the keeper of the pump may open it',
    ],
    ['a label', 'The old pump may stand.\n\n**Note**\n\nOnly the keeper of the old pump may open it.'],
    ['signs alone', 'The old pump stands here.\n\n**\n\nOnly the keeper of the pump may open it.'],
    [
      'a name in bold',
      'The old pump may stand.\n\n**Who may open the pump**\n\nOnly the keeper of the old pump may open it.',
    ],
    [
      'a name in italics',
      'The old pump may stand.\n\n*Who may open the pump*\n\nOnly its keeper may open the old pump.',
    ],
    ['tags alone', 'The old pump may stand.\n\n</b>\n</div>\n\nOnly the keeper of the old pump may open it.'],
    [
      'a title with a line below it',
      'The old pump may stand.\n\nWho may open the pump\n---------------------\n\nThe keeper of the pump may.',
    ],
    [
      'the number of a clause',
      'The old pump may stand.\n\n8.2.\n\nOnly the keeper of the old pump may open it.\n\n(b)\n',
    ],
    ['a name alone', 'The old pump may stand.\n\nopen_old_pump\n\nOnly the keeper of the old pump may use it.'],
    ['a line before code', 'The old pump may stand.\n\nTo open the pump, write\n\n```sh\npump open --keeper\n```\n'],
    [
      'a term above its body',
      'The old pump may stand.\n\n--open-pump\n    Only the keeper of the old pump may use it.\n',
    ],
    ['a directive', 'The old pump may stand.\n\n.. note::\n\n   Only the keeper of the old pump may open it.\n'],
    ['definitions of links', 'The old pump may stand.\n\n[pump]: https://a.example/open-pump\n[keeper]: who.md\n'],
  ])('does not end with %s', (_, text) => {
    for (let room = 5; room < 60; room++)
      expect(windowIn(text, 'who may open the pump note', room).at(-1) ?? '').not.toMatch(
        /(?:pump\?|Note\W*|^\W+|the pump\*{1,2}|the pump\n-*|write|--open-pump|open_old_pump|::|8\.2\.|\(b\)|>|\]: .*)\s*$/u,
      )
  })

  it('is never only signs, as the end of a function', () => {
    const lines = [
      'when the tide of the harbour rises open it now {',
      '}',
      'else close the gate of the harbour again {',
      '}',
    ]
    const code = ['```js', ...lines, '```'].join('\n')
    for (let room = 8; room < 40; room++) expect(windowIn(code, 'gate', room)).not.toEqual(['```js', '```', '}'])
  })
})

describe('a budget below the best chunk', () => {
  it('holds the best sentences of the best chunk before anything of less value', () => {
    fc.assert(
      fc.property(
        fc.array(prose, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 25, max: 60 }),
        (texts, budget) => {
          const pool = texts.map((text, at) => candidate({ id: `c${at}`, docId: `d${at}`, text }, 1 - at / 10))
          const { packed } = finish(pack(pool, QUERY, options(budget), inSteps(countWords)))
          const fitsOne = splitSentences(texts[0] ?? '').some(({ text }) => countWords(text) <= budget - 20)
          if (fitsOne) expect(packed.map(({ candidate: { key } }) => key)).toContain(pool[0]?.key)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('holds the sentence that answers, not a smaller chunk', () => {
    const filler = 'The Pump Office keeps the books of every hall and of every bell. '.repeat(6)
    const best = candidate({ id: 'a', docId: 'a', text: `${filler}The red handle lifts the stop. ${filler}` }, 1)
    const small = candidate({ id: 'b', docId: 'b', text: 'Lamps are lit at dusk.' }, 0.2)
    const { context } = finish(pack([best, small], 'what does the red handle do', options(50), inSteps(countWords)))
    expect(context).toContain('The red handle lifts the stop.')
  })

  const sentences = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `The ${name} of hall ${at} stands.`).join(' ')
  const poolOf = (...texts: string[]) =>
    texts.map((text, at) => candidate({ id: `c${at}`, docId: `d${at}`, text }, 1 - at / 10))
  const packedIn = (budget: number, pool: ReturnType<typeof poolOf>) => {
    const { packed, tokens } = finish(pack(pool, QUERY, options(budget), inSteps(countWords)))
    return { keys: packed.map(({ candidate: { key } }) => key), tokens }
  }

  it('takes nearly all of a chunk before a smaller one of less value', () => {
    const pool = poolOf(sentences('tide', 2), sentences('harbour', 12), sentences('lamp', 3))
    const { tokens } = packedIn(10_000, pool.slice(0, 2))
    expect(packedIn(tokens - 5, pool).keys).toEqual(['docs/c0', 'docs/c1'])
    // Half of it is not nearly all of it.
    expect(packedIn(tokens - 45, pool).keys).toContain('docs/c2')
  })

  it('cuts the next chunk when no sentence of the first one fits', () => {
    const pool = poolOf(sentences('bell', 3), `The ${'tide '.repeat(90)}turns.`, sentences('harbour', 30))
    expect(packedIn(80, pool).keys).toEqual(['docs/c0', 'docs/c2'])
  })

  it('packs no more chunks than allowed when it cuts one', () => {
    const long = (id: string, value: number) => candidate({ id, docId: id, text: 'The tide turns. '.repeat(30) }, value)
    const pool = [
      candidate({ id: 'a', docId: 'a', text: 'The tide.' }, 1),
      long('b', 0.9),
      candidate({ id: 'c', docId: 'c', text: 'The harbour.' }, 0.8),
    ]
    const { packed } = finish(pack(pool, QUERY, { ...options(80), maxChunks: 2 }, inSteps(countWords)))
    expect(packed).toHaveLength(2)
  })
})

/** The longest run from each sentence on that is no part of another one, with its score, computed anew for each. */
function naiveRuns(text: string, room: number): { start: number; end: number; score: number }[] {
  const sentences = splitSentences(text)
  const runs = sentences.flatMap(({ start }, from) => {
    const ends = sentences.slice(from).map(({ end }) => end)
    const tokensTo = (last: number) =>
      sentences.filter(({ end }) => end > start && end <= last).reduce((sum, { text }) => sum + countWords(text), 0)
    const end = ends.filter(last => tokensTo(last) <= room).at(-1)
    return end === undefined ? [] : [{ start, end }]
  })
  const longest = runs.filter(({ start, end }) => !runs.some(other => other.start < start && other.end >= end))
  const bm25 = scorer(sentences.map(({ text }) => text))
  const scores = longest.map(({ start, end }) => bm25(text.slice(start, end)))
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length
  const unit = Math.max(1e-6, Math.sqrt(variance))
  return longest.map(({ start, end }, at) => {
    const begins = /\n\n$/u.test(text.slice(0, start)) ? 1 : 0
    const ends = end === text.length || /\n\n$/u.test(text.slice(0, end)) ? 0.75 : 0
    return { start, end, score: (scores[at] ?? 0) / unit + begins + ends }
  })
}

/** The BM25 of a text, computed anew for each. */
function scorer(sentences: string[]) {
  const wanted = [...new Set(terms(QUERY))]
  const idf = wanted.map(term => {
    const holders = sentences.filter(text => terms(text).includes(term)).length
    return Math.log(1 + (sentences.length - holders + 0.5) / (holders + 0.5))
  })
  return (text: string) =>
    wanted.reduce((sum, term, at) => {
      const count = terms(text).filter(other => other === term).length
      return sum + ((idf[at] ?? 0) * count * 2.2) / (count + 1.2)
    }, 0)
}
