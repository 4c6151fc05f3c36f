import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pointKey } from '../../src/core/keys.ts'
import { finish } from '../../src/core/steps.ts'
import { type Candidate, type Chunk, CONTEXT_FORMATS, CONTEXT_ORDERS } from '../../src/core/types.ts'
import { type PackOptions, pack as packInSteps } from '../../src/pack/pack.ts'
import { candidate, chunk, countWords, inSteps } from '../support/candidates.ts'
import { PLAIN_PACKING } from '../support/pack-options.ts'

const OPTIONS: PackOptions = { ...PLAIN_PACKING, budgetTokens: 1_000, parentExpansion: 0.5 }

const pack = (pool: Candidate[], parents: Chunk[], over: Partial<PackOptions> = {}) =>
  finish(
    packInSteps(
      pool,
      null,
      { ...OPTIONS, ...over, parents: new Map(parents.map(parent => [pointKey(parent), parent])) },
      inSteps(countWords),
    ),
  )

/** A document whose sentences are all different, cut into chunks that repeat `overlap` sentences of the one before, and into parents. */
function family(docId: string, childrenOf: readonly number[], overlap = 0) {
  const sentences: string[] = []
  const pool: Chunk[] = []
  const parents: Chunk[] = []
  const text = () => sentences.join(' ')
  for (const [place, children] of childrenOf.entries()) {
    const start = sentences.length === 0 ? 0 : text().length + 1
    const id = `${docId}-parent-${place}`
    for (let child = 0; child < children; child++) {
      const repeated = child === 0 ? [] : sentences.slice(sentences.length - overlap)
      const fresh = [0, 1, 2].map(n => `Fact ${docId}x${pool.length}x${n} tells of the tide.`)
      sentences.push(...fresh)
      const own = [...repeated, ...fresh].join(' ')
      const charStart = text().length - own.length
      pool.push(
        chunk({
          id: `${docId}-${pool.length}`,
          docId,
          sectionPath: `Part ${place}`,
          orderIndex: pool.length,
          charStart,
          charEnd: text().length,
          text: own,
          parentId: id,
        }),
      )
    }
    const whole = text().slice(start)
    parents.push(
      chunk({
        id,
        docId,
        sectionPath: `Part ${place}`,
        orderIndex: null,
        charStart: start,
        charEnd: start + whole.length,
        text: whole,
      }),
    )
  }
  return { pool, parents }
}

const worlds = fc
  .record({
    documents: fc.array(
      fc.record({
        childrenOf: fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 1, maxLength: 3 }),
        overlap: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    values: fc.array(fc.integer({ min: -700, max: 1000 }), { minLength: 45, maxLength: 45 }),
    known: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  })
  .map(({ documents, values, known }) => {
    const families = documents.map(({ childrenOf, overlap }, at) => family(`d${at}`, childrenOf, overlap))
    const chunks = families.flatMap(({ pool }) => pool)
    // Chunks with a value below 0 were not found.
    const pool = chunks
      .map((one, at) => candidate(one, (values[at] ?? 0) / 1000))
      .filter(({ value }) => value >= 0)
      .sort((a, b) => b.value - a.value)
    return { pool, parents: families.flatMap(({ parents }) => parents).filter((_, at) => known[at]) }
  })

const anyOptions = fc.record({
  budgetTokens: fc.constantFrom(0, 20, 60, 120, 250, 500, 10_000),
  format: fc.constantFrom(...CONTEXT_FORMATS),
  order: fc.constantFrom(...CONTEXT_ORDERS),
  mode: fc.constantFrom('passage' as const, 'sentence' as const),
  counting: fc.constantFrom('tokens' as const, 'characters' as const),
  overflow: fc.constantFrom('skip' as const, 'stop' as const, 'truncate' as const),
  sentenceCut: fc.boolean(),
  parentExpansion: fc.constantFrom(0, 0.3, 0.5, 0.8, 1),
})

describe('parents in place of their packed chunks', () => {
  it('exceed no budget, lose no candidate and repeat no text, whatever is found', () => {
    let replaced = 0
    fc.assert(
      fc.property(worlds, anyOptions, ({ pool, parents }, options) => {
        const { context, tokens, packed, dropped } = pack(pool, parents, options)
        const added = packed.filter(({ candidate: { origin } }) => origin === 'parent')
        replaced += added.length
        expect(tokens).toBeLessThanOrEqual(options.budgetTokens)
        expect(tokens).toBe(countWords(context))
        const decided = [...packed, ...dropped].map(({ candidate: { key } }) => key).sort()
        expect(decided).toEqual([...pool, ...added.map(one => one.candidate)].map(({ key }) => key).sort())
        const texts = new Map(added.map(({ candidate: { key }, text }) => [key, text]))
        for (const fact of [...texts.values()].flatMap(text => text.match(/Fact \w+/g) ?? []))
          expect(context.split(`${fact} `)).toHaveLength(2)
        for (const { candidate: child, reason, evidence } of dropped) {
          if (reason !== 'replaced_by_parent') continue
          expect(texts.get(evidence.of ?? '')).toContain(child.chunk.text)
        }
        // Without the rule, at least two chunks of each parent are packed.
        const plain = pack(pool, parents, { ...options, parentExpansion: null }).packed
        for (const key of texts.keys()) {
          const children = plain.filter(({ candidate: c }) => `docs/${c.chunk.parentId}` === key)
          expect(children.length).toBeGreaterThanOrEqual(2)
        }
      }),
      { numRuns: 150 },
    )
    expect(replaced).toBeGreaterThan(30)
  })

  const { pool: children, parents } = family('d', [3, 3], 1)
  const found = (values: readonly number[]) =>
    children
      .flatMap((one, at) => (values[at] === undefined ? [] : [candidate(one, values[at])]))
      .sort((a, b) => b.value - a.value)

  it('stand under one source line at the place of the first chunk, with the figures of the best', () => {
    const pool = found([0.4, 0.9])
    const { context, packed, dropped } = pack(pool, parents)
    expect(context).toBe(`[1] Doc > Part 0\n${parents[0]?.text}\n`)
    expect(packed).toMatchObject([
      { candidate: { origin: 'parent', value: 0.9, signals: [], chunk: { orderIndex: 0 } } },
    ])
    expect(dropped.map(({ candidate: { chunk }, ...drop }) => ({ ...drop, id: chunk.id }))).toEqual(
      ['d-1', 'd-0'].map(id => ({ reason: 'replaced_by_parent', evidence: { of: 'docs/d-parent-0' }, id })),
    )
  })

  it('name chunks of theirs that were dropped, too', () => {
    const { dropped } = pack(found([0.9, 0.8, 0.1]), parents, { maxChunks: 2 })
    expect(dropped.map(({ reason }) => reason)).toEqual(Array(3).fill('replaced_by_parent'))
  })

  it('that touch each other are joined without a gap', () => {
    const one = parents.map(parent => ({ ...parent, sectionPath: 'Part' }))
    const [first, second] = one
    const touching = [first, second && { ...second, charStart: first?.charEnd ?? 0, text: ` ${second.text}` }]
    const moved = children.map(child => ({ ...child, sectionPath: 'Part' }))
    const pool = moved.map((child, at) => candidate(child, 1 - at / 10))
    const { context, packed } = pack(pool, touching as Chunk[])
    expect(packed).toHaveLength(2)
    expect(context).not.toContain('[…]')
  })

  it('replace nothing when one chunk is packed, when too little is packed, and when a text does not stand at its place', () => {
    const reasons = (pool: Candidate[], over: Partial<PackOptions> = {}) =>
      pack(pool, parents, over).dropped.map(({ reason }) => reason)
    expect(reasons(found([0.9]))).toEqual([])
    expect(reasons(found([0.9, 0.8]), { parentExpansion: 0.9 })).toEqual([])
    const [first, second] = found([0.9, 0.8])
    if (!first || !second) throw new Error('two chunks are found')
    const changed = { ...second, chunk: { ...second.chunk, text: second.chunk.text.replace('tide', 'gate') } }
    expect(reasons([first, changed])).toEqual([])
    expect(reasons([first, { ...second, chunk: { ...second.chunk, docId: 'e' } }])).toEqual([])
    expect(reasons([first, second])).toEqual(['replaced_by_parent', 'replaced_by_parent'])
  })

  it('take the place of chunks that are worth less than their text on average, and of no others', () => {
    const other = (value: number) =>
      candidate({ id: 'o', docId: 'o', text: 'An oar lies in the boat of the keeper.' }, value)
    const pool = found([1, 0.9])
    const full = (value: number) => {
      const all = [...pool, other(value)]
      const { tokens } = pack(all, [])
      return pack(all, parents, { budgetTokens: tokens + 8 })
    }
    expect(full(0.1).dropped).toContainEqual(
      expect.objectContaining({ reason: 'over_budget', evidence: expect.objectContaining({ of: 'docs/d-parent-0' }) }),
    )
    expect(full(0.85).dropped).toEqual([])
  })

  it('leave alone what an earlier turn of the session packed, so that a prompt cache keeps its prefix', () => {
    const previous = new Map([['docs/d-0', 1]])
    expect(pack(found([0.9, 0.8]), parents, { order: 'stable', previous }).dropped).toEqual([])
    expect(pack(found([0.9, 0.8]), parents, { order: 'stable' }).dropped).toHaveLength(2)
  })

  it('take a part of a table whose head stands in the parent, and none whose head does not', () => {
    const head = '| tide | level |\n|---|---|\n'
    const rows = Array.from({ length: 12 }, (_, at) => `| tide ${at} | ${at * 7} |\n`)
    const text = head + rows.join('')
    const parent = chunk({ id: 'p', orderIndex: null, charStart: 100, charEnd: 100 + text.length, text })
    const half = text.indexOf('| tide 6')
    const part = { parentId: 'p', sectionPath: 'T' }
    const pool = (above: string) => [
      candidate({ ...part, id: 'a', orderIndex: 0, charStart: 100, charEnd: 100 + half, text: text.slice(0, half) }),
      candidate(
        {
          ...part,
          ...{ id: 'b', orderIndex: 1, charStart: 100 + half, charEnd: 100 + text.length },
          text: above + text.slice(half),
        },
        0.9,
      ),
    ]
    expect(pack(pool(head), [parent]).packed.map(({ candidate: { chunk } }) => chunk.id)).toEqual(['p'])
    expect(pack(pool('| bell | rope |\n|---|---|\n'), [parent]).packed).toHaveLength(2)
  })
})
