import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { type Candidate, CONTEXT_FORMATS, CONTEXT_ORDERS } from '../../src/core/types.ts'
import { contextLinesOf } from '../../src/pack/context-line.ts'
import { CostModel } from '../../src/pack/cost.ts'
import { type Packed, type PackOptions, pack as packInSteps } from '../../src/pack/pack.ts'
import { RENDERERS } from '../../src/pack/render.ts'
import { REPETITION_SCOPES } from '../../src/pack/repetition/packed-sentences.ts'
import { select } from '../../src/pack/select.ts'
import { wholeChunk } from '../../src/pack/unit.ts'
import { createTokenizer } from '../../src/text/tokens.ts'
import { candidate, candidates, countWords, inSteps } from '../support/candidates.ts'
import { PLAIN_PACKING as PLAIN } from '../support/pack-options.ts'

const anyOptions = fc.record({
  budgetTokens: fc.constantFrom(0, 1, 7, 20, 60, 150, 400, 10_000_000),
  maxChunks: fc.option(fc.integer({ min: 1, max: 8 })),
  format: fc.constantFrom(...CONTEXT_FORMATS),
  order: fc.constantFrom(...CONTEXT_ORDERS),
  counting: fc.constantFrom('tokens' as const, 'characters' as const),
  mode: fc.constantFrom('passage' as const, 'sentence' as const),
  overflow: fc.constantFrom('skip' as const, 'stop' as const, 'truncate' as const),
  maxOverflows: fc.integer({ min: 1, max: 6 }),
  sentenceCut: fc.boolean(),
  documentCap: fc.option(fc.integer({ min: 1, max: 3 })),
  sectionCap: fc.option(fc.integer({ min: 1, max: 2 })),
  capMode: fc.constantFrom('hard' as const, 'soft' as const),
  noveltyAlpha: fc.constantFrom(0, 0.5, 1),
  repetition: fc.constantFrom(...REPETITION_SCOPES),
  parentExpansion: fc.constant(null),
  contextLine: fc.boolean(),
  repeatHeading: fc.boolean(),
})

const tokenizer = createTokenizer('gpt-4o-2024-11-20')
const countTokens = (text: string) => tokenizer.count(text)

function pack(pool: Candidate[], query: string | null, options: PackOptions, count: (text: string) => number): Packed {
  return finish(packInSteps(pool, query, options, inSteps(count)))
}

/** Relevance mass of a selection. */
function mass(pool: Candidate[], options: PackOptions): number {
  const cost = new CostModel(RENDERERS[options.format], inSteps(countWords), options.budgetTokens)
  return finish(select(pool, 'harbour tide', options, cost)).selected.reduce(
    (sum, { unit, marginal }) => sum + marginal * countWords(unit.candidate.chunk.text.slice(unit.start, unit.end)),
    0,
  )
}

describe('pack', () => {
  it('never exceeds the budget, with the real tokenizer, in any format, order and mode', () => {
    fc.assert(
      fc.property(candidates(), anyOptions, (pool, options) => {
        const { context, tokens } = pack(pool, 'harbour tide', options, countTokens)
        expect(tokens).toBeLessThanOrEqual(options.budgetTokens)
        expect(tokens).toBe(context === '' ? 0 : createTokenizer('gpt-4o').count(context))
      }),
      { numRuns: 300 },
    )
  })

  it('packs or drops each candidate once, with one reason', () => {
    fc.assert(
      fc.property(candidates(), anyOptions, (pool, options) => {
        const { packed, dropped } = pack(pool, 'harbour tide', options, countWords)
        const keys = [...packed.map(p => p.candidate.key), ...dropped.map(d => d.candidate.key)]
        expect(keys.sort()).toEqual(pool.map(c => c.key).sort())
      }),
      { numRuns: 400 },
    )
  })

  it('gives equal bytes for equal input', () => {
    fc.assert(
      fc.property(candidates(), anyOptions, (pool, options) => {
        expect(pack(structuredClone(pool), 'tide', options, countWords)).toEqual(
          pack(pool, 'tide', options, countWords),
        )
      }),
    )
  })

  it('shows only text of the chunks, and each packed text in the context', () => {
    fc.assert(
      fc.property(candidates(), anyOptions, (pool, options) => {
        const { packed, context } = pack(pool, 'tide', { ...options, format: 'markdown' }, countWords)
        for (const { candidate: c, spans, text } of packed) {
          for (const { start, end } of spans) {
            const shown = c.chunk.text.slice(start, end).trim()
            expect(text).toContain(shown)
            expect(context.replace(/\s+/g, ' ')).toContain(shown.slice(0, 8).replace(/\s+/g, ' '))
          }
        }
      }),
    )
  })

  it('never has less relevance mass than plain greedy fill', () => {
    fc.assert(
      fc.property(candidates(), fc.integer({ min: 5, max: 200 }), (pool, budgetTokens) => {
        const full = mass(pool, { ...PLAIN, budgetTokens })
        const greedy = mass(pool, { ...PLAIN, budgetTokens, overflow: 'stop', sentenceCut: false })
        expect(full).toBeGreaterThanOrEqual(greedy - 1e-9)
      }),
    )
  })

  it('fills like a naive greedy packer that renders everything in each step', () => {
    fc.assert(
      fc.property(candidates(8), fc.integer({ min: 10, max: 150 }), (pool, budgetTokens) => {
        const options: PackOptions = { ...PLAIN, budgetTokens, overflow: 'stop', sentenceCut: false }
        const ours = pack(pool, null, options, countWords).packed.map(p => p.candidate.key)
        const everything = { ...options, budgetTokens: 1_000_000 }
        let most = 0
        while (most < pool.length && pack(pool.slice(0, most + 1), null, everything, countWords).tokens <= budgetTokens)
          most++
        // The estimate adds a little for each join, so filling may stop one chunk earlier than the naive packer.
        expect(ours.length).toBeLessThanOrEqual(most)
        expect(ours.length).toBeGreaterThanOrEqual(Math.min(most, pool.length) - 1)
        expect(new Set(pool.slice(0, ours.length).map(c => c.key))).toEqual(new Set(ours))
      }),
    )
  })
})

describe('cost', () => {
  it('is never below the tokens of the rendered context', () => {
    fc.assert(
      fc.property(candidates(), fc.constantFrom(...CONTEXT_FORMATS), fc.boolean(), (pool, format, contextLine) => {
        const lines = contextLine ? finish(contextLinesOf(pool, inSteps(countWords))) : undefined
        const cost = new CostModel(RENDERERS[format], inSteps(countWords), Number.POSITIVE_INFINITY, lines)
        for (const unit of pool.map(wholeChunk)) cost.add(unit, finish(cost.costOf(unit)))
        const { tokens } = pack(pool, null, { ...PLAIN, format, contextLine, budgetTokens: 1_000_000 }, countWords)
        expect(cost.used).toBeGreaterThanOrEqual(tokens)
      }),
    )
  })
})

describe('neighbours', () => {
  const text = 'The first tide lifts the lantern. The second tide moves the gate. The third tide wakes the keeper.'
  const left = candidate({ id: 1, orderIndex: 0, charStart: 0, charEnd: 66, text: text.slice(0, 66) }, 0.9)
  const right = candidate({ id: 2, orderIndex: 1, charStart: 34, charEnd: text.length, text: text.slice(34) }, 0.8)

  it('are joined under one source line, with their overlap once', () => {
    const { context } = pack([left, right], null, { ...PLAIN, budgetTokens: 500 }, countWords)
    expect(context).toBe(`[1] Doc > Section\n${text}\n`)
  })

  it('are compared for an overlap when their offsets are unknown', () => {
    const bare = [left, right].map(c => ({ ...c, chunk: { ...c.chunk, charStart: null, charEnd: null } }))
    expect(pack(bare, null, { ...PLAIN, budgetTokens: 500 }, countWords).context).toBe(`[1] Doc > Section\n${text}\n`)
  })

  it('with a chunk missing between them show a gap', () => {
    const far = candidate({ id: 3, orderIndex: 5, text: 'Much later.' }, 0.5)
    expect(pack([left, far], null, { ...PLAIN, budgetTokens: 500 }, countWords).context).toContain('\n[…]\nMuch later.')
  })
})

describe('cutting what does not fit', () => {
  const ends = 'And then the keeper opens it again for all who wait in front of it with a lamp in the hand and a bell.'
  const best = candidate({ id: 1, docId: 'a', sectionPath: 'A', text: 'The tide lifts the lantern.' }, 0.9)
  const long = (begins: string, docId: string) =>
    candidate({ id: 2, docId, sectionPath: 'A', text: `${begins} ${ends}`, orderIndex: 7 }, 0.5)
  const contextOf = (pool: Candidate[]) =>
    pack(pool, 'who mends the gate', { ...PLAIN, budgetTokens: 34 }, countWords).context
  const few = 'He mends the gate.'

  it('adds no source line for fewer than 8 tokens of text', () => {
    expect(contextOf([best, long(few, 'b')])).not.toContain(few)
    expect(contextOf([best, long('He mends the gate of the old harbour at night.', 'b')])).toContain('harbour')
  })

  it('takes them of the best chunk, and where they bring no source line', () => {
    expect(contextOf([long(few, 'b')])).toContain(few)
    expect(contextOf([best, long(few, 'a')])).toContain(few)
  })

  it('takes those of a chunk with the entry that the question names, before chunks that are worth less', () => {
    const items = [
      '--lamp lights the lamp of the hall.',
      '--gate mends the gate at night.',
      '--bell rings the old bell.',
    ]
    const list = candidate({ id: 2, docId: 'b', text: `${items.join('\n\n')}\n\n${ends}` }, 0.5)
    const named = { ...list, answerability: { bonus: 0.1, features: ['entry that it names'] } }
    const other = candidate({ id: 3, docId: 'c', text: 'A lamp stands there, and a bell, and nobody is at home.' }, 0.4)
    const shown = (pool: Candidate[]) => {
      const options: PackOptions = { ...PLAIN, budgetTokens: 45 }
      return pack(pool, 'what does --gate do', options, countWords).context
    }
    expect(shown([best, named, other])).toContain('--gate mends the gate')
    expect(shown([best, list, other])).toContain('nobody is at home')
    expect(shown([best, list, other])).not.toContain('--gate mends the gate')
  })

  it('leaves them out when the rest of what was chosen is packed already', () => {
    const packed = 'He mends the gate of the old harbour at night while the bell above it is silent.'
    const first = candidate({ id: 1, docId: 'a', sectionPath: 'A', text: packed }, 0.9)
    const second = candidate(
      { id: 2, docId: 'a', sectionPath: 'A', text: `${packed} DO NOT EDIT. ${ends}`, orderIndex: 7 },
      0.5,
    )
    const options: PackOptions = { ...PLAIN, budgetTokens: 47, repetition: 'section' }
    const { context } = pack([first, second], 'who mends the gate do not edit', options, countWords)
    expect(context).toContain(packed)
    expect(context).not.toContain('DO NOT EDIT')
  })
})

it('a block that is cut out of an item of a list is code in Markdown, and the code of a class keeps its form', () => {
  const contextOf = (text: string) =>
    pack([candidate({ text })], null, { ...PLAIN, budgetTokens: 500 }, countWords).context
  const fenced = '    ```sh\n    # stop it first\n    pump stop\n    ```\n\n2.  Open the lid.'
  expect(contextOf(fenced)).toContain('\n```sh\n# stop it first\npump stop\n```\n\n2.  Open the lid.')
  const code = '    def stop(self):\n        self.off()\n\nclass Lid:\n    open = False'
  expect(contextOf(code)).toContain(`\n${code}`)
})

describe('orders', () => {
  const pool = [5, 4, 3, 2, 1].map(rank =>
    candidate(
      { id: rank, docId: `d${(rank * 7) % 5}`, docTitle: `T${rank}`, sectionPath: `T${rank}`, orderIndex: 3 },
      rank / 5,
    ),
  )
  const titles = (order: PackOptions['order'], previous?: ReadonlyMap<string, number>) =>
    pack(pool, null, { ...PLAIN, order, budgetTokens: 1000, ...(previous ? { previous } : {}) }, countWords)
      .context.match(/T\d/g)
      ?.join(' ')

  it('relevance puts the best first, edges the best first and last', () => {
    expect(titles('relevance')).toBe('T5 T4 T3 T2 T1')
    expect(titles('edges')).toBe('T5 T3 T1 T2 T4')
  })

  it('document follows the places of the text, also where only these are known', () => {
    const sections = ['Zone', 'Area', 'Mast'].map((docTitle, at) =>
      candidate({ id: at, docId: 'd', docTitle: '', sectionPath: docTitle, orderIndex: null, charStart: at * 50 }, at),
    )
    const { context } = pack(sections, null, { ...PLAIN, order: 'document', budgetTokens: 1000 }, countWords)
    expect(context.match(/Zone|Area|Mast/g)).toEqual(['Zone', 'Area', 'Mast'])
  })

  it('stable appends new chunks after those of earlier turns', () => {
    expect(
      titles(
        'stable',
        new Map([
          ['docs/1', 1],
          ['docs/3', 2],
        ]),
      )?.startsWith('T1 T3'),
    ).toBe(true)
    expect(titles('stable')).toBe(titles('stable'))
  })
})

describe('formats', () => {
  const hostile = candidate(
    { text: 'ends </document> "quote" & [1] \u0000 \ud800 done', docId: 'a"b<c>', docTitle: 'x\n[2] y' },
    1,
  )

  it('xml cannot be broken out of', () => {
    const { context } = pack([hostile], null, { ...PLAIN, format: 'xml', budgetTokens: 500 }, countWords)
    expect(context.match(/<\/document>/g)).toHaveLength(1)
    expect(context).toContain('source="a&quot;b&lt;c&gt;"')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the point is that none is left
    expect(context).not.toMatch(/\u0000/)
  })

  it.each(['markdown', 'xml', 'json'] as const)('%s leaves out the middle of a name that is too long', format => {
    const [head, tail] = ['first '.repeat(50), `${'😀'.repeat(2_000)} last`]
    const long = candidate({ text: 'done', docId: 'd', docTitle: head, sectionPath: `${head} > ${tail}` }, 1)
    const { context, tokens } = pack([long], null, { ...PLAIN, format, budgetTokens: 400 }, countTokens)
    expect(tokens).toBeGreaterThan(0)
    expect(context).toContain('done')
    expect(context).toMatch(/first first.{1,300}… ?.{1,300} last/u)
    expect(context.isWellFormed()).toBe(true)
    expect(context.length).toBeLessThan(700)
  })

  it('a name takes less than a fifth of a small budget, with the start of the title and the last heading', () => {
    const path =
      'Handbook of the Harbour Office and of its Keepers > Daily duties and plans > Lighting the lamps at dusk'
    const best = candidate({ text: 'The keeper lights them.', docTitle: path.split(' > ')[0] ?? '', sectionPath: path })
    const nameIn = (budgetTokens: number) =>
      pack([best], null, { ...PLAIN, budgetTokens }, countTokens).context.split('\n')[0] ?? ''
    for (const budget of [60, 80, 100]) {
      expect(nameIn(budget)).toMatch(/^\[1\] Handbook.*….*at dusk$/u)
      expect(nameIn(budget).length).toBeLessThanOrEqual(Math.max(44, (4 * budget) / 5))
      for (const word of nameIn(budget).split(' ').slice(1)) expect(['…', ...path.split(' ')]).toContain(word)
    }
    expect(nameIn(100)).toContain('> Lighting the lamps at dusk')
    expect(nameIn(200)).toBe(`[1] ${path}`)
  })

  it('json parses', () => {
    const { context } = pack([hostile], null, { ...PLAIN, format: 'json', budgetTokens: 500 }, countWords)
    expect(JSON.parse(context)[0].text).toContain('ends </document> "quote"')
  })

  it('xml and json show how likely a block answers, and not its value; stable shows nothing', () => {
    const pool = [candidate({ id: 1, text: 'The tide lifts the lantern.' }, 1)]
    const contextOf = (over: Partial<PackOptions>) =>
      pack(pool, null, { ...PLAIN, budgetTokens: 500, relevanceOf: () => 0.0213, ...over }, countWords).context
    expect(contextOf({ format: 'xml' })).toContain('relevance="0.02"')
    expect(JSON.parse(contextOf({ format: 'json' }))[0].relevance).toBe(0.02)
    expect(contextOf({ format: 'xml', order: 'stable' })).not.toContain('relevance')
  })
})

describe('truncating', () => {
  it('splits no surrogate pair, even when the estimate was too low and the text is cut again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.constantFrom('', 'a', 'ab'), (budgetTokens, before) => {
        const pool = [candidate({ text: `${before}${'😀'.repeat(300)}` })]
        const options = { ...PLAIN, budgetTokens, overflow: 'truncate' as const, counting: 'characters' as const }
        const { context, tokens } = pack(pool, null, options, countTokens)
        expect(context.isWellFormed()).toBe(true)
        expect(tokens).toBeLessThanOrEqual(budgetTokens)
      }),
    )
  })
})

describe('caps', () => {
  const four = [0, 2, 4, 6].map(orderIndex =>
    candidate({ id: orderIndex, orderIndex, text: `text number ${orderIndex}` }, 1 - orderIndex / 10),
  )
  const others = [0, 1, 2].map(n =>
    candidate({ id: 90 + n, docId: `other${n}`, docTitle: 'Other', sectionPath: '', text: `other text ${n}` }, 0.1),
  )

  it('drop the chunks over them, with the cap as evidence', () => {
    const { dropped } = pack(
      [...four.slice(0, 3), ...others],
      'tide',
      { ...PLAIN, budgetTokens: 500, documentCap: 2 },
      countWords,
    )
    expect(dropped).toMatchObject([{ reason: 'doc_cap', evidence: { cap: 2 } }])
  })

  it('do not apply to the subject of the query', () => {
    expect(pack(four, 'tide', { ...PLAIN, budgetTokens: 500, documentCap: 2 }, countWords).dropped).toEqual([])
  })

  it('do not apply to the continuation of a packed answer', () => {
    const pair = [
      candidate({ id: 1, orderIndex: 0, text: 'one' }, 1),
      candidate({ id: 2, orderIndex: 1, text: 'two' }, 0.9),
    ]
    expect(
      pack([...pair, ...others], 'tide', { ...PLAIN, budgetTokens: 500, sectionCap: 1 }, countWords).dropped,
    ).toEqual([])
  })

  it('when soft, only delay chunks', () => {
    const { packed, dropped } = pack(
      [...four, ...others],
      'tide',
      { ...PLAIN, budgetTokens: 500, documentCap: 1, capMode: 'soft' },
      countWords,
    )
    expect(dropped).toEqual([])
    expect(packed).toHaveLength(7)
  })

  it.each([
    ['a chunk limit', { maxChunks: 2 }, 'low_value', 'chunk limit reached'],
    ['no room', {}, 'over_budget', 'did not fit'],
  ])(
    'says of %s that it was before a chunk was removed, which the estimate had let in',
    (_, options, reason, detail) => {
      const digits = '1 2 3 4 5 6 7 8 9 '.repeat(5)
      const pool = ['The tide is high.', digits, 'The bell rings. '.repeat(12)].map((text, at) =>
        candidate({ id: at, docId: `d${at}`, docTitle: `D${at}`, text }, 1 - at / 10),
      )
      const rules = { ...PLAIN, ...options, budgetTokens: 80, counting: 'characters' as const, sentenceCut: false }
      const { packed, dropped } = pack(pool, null, rules, countTokens)
      expect(packed.map(one => one.candidate.chunk.id)).toEqual([0])
      const told = dropped.map(drop => [drop.candidate.chunk.id, drop.reason, drop.evidence.detail])
      expect(told).toContainEqual([1, 'over_budget', 'rendered context was over budget'])
      expect(told).toContainEqual([2, reason, `${detail} before other chunks were removed`])
    },
  )
})
