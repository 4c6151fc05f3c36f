import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import type { Candidate, Chunk } from '../../../src/core/types.ts'
import { GoldFinder } from '../../../src/evaluation/metrics/common-runs.ts'
import { type PackOptions, pack as packInSteps } from '../../../src/pack/pack.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'

const OPTIONS: PackOptions = {
  ...NAMED_PLANS.measured.packing,
  repetition: 'context',
  budgetTokens: 100_000,
  maxChunks: null,
  format: 'markdown',
  order: 'document',
}

function pack(pool: readonly Candidate[], over: Partial<PackOptions> = {}) {
  return finish(packInSteps(pool, 'tide', { ...OPTIONS, ...over }, inSteps(countWords)))
}

/** Chunks of one section, best first, each a part of the text that does not touch the others. */
function chunks(texts: readonly string[], over: (place: number) => Partial<Chunk> = () => ({})): Candidate[] {
  return texts.map((text, place) =>
    candidate({ id: place, orderIndex: 2 * place, text, ...over(place) }, 1 - place / (texts.length + 1)),
  )
}

/** The packed text of each chunk; undefined for one that is dropped. */
function texts(pool: readonly Candidate[], over: Partial<PackOptions> = {}): (string | undefined)[] {
  const { packed } = pack(pool, over)
  return pool.map(({ key }) => packed.find(each => each.candidate.key === key)?.text)
}

const SAFETY = 'Hang your brass tag on the hook of the machine. No order of a captain sets this aside.'

describe('text that is packed is not packed again', () => {
  it('when three chunks of one section have the same boilerplate', () => {
    const fresh = ['The valve is red and new.', 'The rope is oiled each spring.', 'The lamp is wiped each night.']
    const pool = chunks([`${SAFETY} ${fresh[0]}`, `${fresh[1]} ${SAFETY}`, `${SAFETY} ${fresh[2]}`])
    expect(texts(pool, { repetition: 'off' })).toEqual(pool.map(({ chunk: { text } }) => text))
    expect(texts(pool)).toEqual([pool[0]?.chunk.text, fresh[1], fresh[2]])
  })

  it('but a part of less than five words keeps the sentence beside it', () => {
    const [, second, third] = texts(
      chunks([`${SAFETY} The valve is red and new.`, `${SAFETY} Port: 8080.`, `Stop now. ${SAFETY}`]),
    )
    expect(second).toBe('No order of a captain sets this aside. Port: 8080.')
    expect(third).toBe('Stop now. Hang your brass tag on the hook of the machine.')
  })

  it('but what stands under another term says something of another thing', () => {
    const entry = (term: string, value: string) =>
      `${term}\n\n> Readable from: client, backend, pipe\n>\n> ${value} of the tide.`
    const [first, second, third] = ['tide.width', 'tide.depth', 'tide.width'].map((term, at) =>
      entry(term, `Part ${at}`),
    ) as [string, string, string]
    expect(texts(chunks([first, second]))).toEqual([first, second])
    expect(texts(chunks([first, third]))[1]).toBe('tide.width\n[…]\n> Part 2 of the tide.')
  })

  it('but a term that is not packed is text, too, when everything else of its chunk is packed', () => {
    const [first, term] = [`${SAFETY}\n\nArdane of the quay\n\n${SAFETY}`, 'Berit the harbour master']
    const [, second] = texts(chunks([first, `${SAFETY}\n\n${term}\n\nArdane of the quay\n\n${SAFETY}`]))
    expect(second).toContain(term)
  })

  it('with a gap mark in its place', () => {
    const [, second] = texts(
      chunks([`${SAFETY} The valve is red.`, `The rope is oiled every spring. ${SAFETY} The lamp is wiped at noon.`]),
    )
    expect(second).toBe('The rope is oiled every spring.\n[…]\nThe lamp is wiped at noon.')
  })

  it.each([
    ['English', 'Never lift the gate by hand.', '**Never lift the gate  by hand**', 'The lamp is wiped each night.'],
    ['German', 'Das Tor niemals von Hand heben.', '**Das Tor niemals von Hand heben!**', 'Das Seil wird oft geölt.'],
    ['Japanese', '扉を手で持ち上げないでください。', '扉を手で持ち上げないでください', '縄には毎年春に油を差します。'],
    ['Chinese', '请绝对不要用手把闸门抬起来。', '\u200b请绝对不要用手把闸门抬起来', '每年春天都要给绳子上油保养。'],
  ])('in %s, however it is written', (_language, repeated, written, fresh) => {
    const pool = chunks([repeated, `${fresh}\n${written}\n`])
    expect(texts(pool)).toEqual([repeated, fresh])
  })

  it('and a chunk of which nothing else is left is dropped, with the candidate that holds it', () => {
    const pool = chunks([`${SAFETY} The valve is red and new.`, `## Rules\n\n${SAFETY}`])
    const { packed, dropped } = pack(pool)
    expect(packed.map(each => each.candidate.key)).toEqual([pool[0]?.key])
    expect(dropped).toEqual([
      {
        candidate: pool[1],
        reason: 'duplicate',
        evidence: { of: pool[0]?.key, similarity: expect.closeTo(18 / 19, 2), detail: 'its sentences are packed' },
      },
    ])
  })

  it.each(['section', 'context'] as const)('in the scope of the plan: %s', scope => {
    const pool = chunks(
      ['The valve is red and new.', 'The rope is oiled each spring.', 'The lamp is wiped each night.'].map(
        fresh => `${SAFETY} ${fresh}`,
      ),
      place => (place === 2 ? { sectionPath: 'Doc > Other' } : {}),
    )
    const repeats = texts(pool, { repetition: scope }).filter(text => text?.includes('brass tag')).length
    expect(repeats).toBe({ section: 2, context: 1 }[scope])
  })

  it('unless the order is stable, where a text must not depend on the others', () => {
    const pool = chunks([SAFETY, `${SAFETY} The lamp is wiped each night.`])
    expect(texts(pool, { order: 'stable' })).toEqual(texts(pool, { repetition: 'off' }))
  })
})

describe('stays, because the rest cannot be read without it:', () => {
  it('the line before a list', () => {
    const list = (items: string[]) =>
      `The crew must bring all of these things:\n\n${items.map(item => `- ${item}`).join('\n')}`
    const [, second] = texts(
      chunks([
        list(['a lamp of the newest pattern', 'a rope of thirty feet']),
        list(['a lamp of the newest pattern', 'a key to the lower gate']),
      ]),
    )
    expect(second).toBe('The crew must bring all of these things:\n[…]\n- a key to the lower gate')
  })

  it('an item of a list under another line, which is another item', () => {
    const items = '\n\n- a lamp of the newest pattern\n- a rope of thirty feet'
    const pool = chunks([`The crew must bring:${items}`, `The crew must not bring:${items}`])
    expect(texts(pool)).toEqual(texts(pool, { repetition: 'off' }))
  })

  it('the head of a table, of which a row under another head is another row', () => {
    const table = (head: string, ...rows: string[]) =>
      [`| Watch of the crew | ${head} |`, '|---|---|', ...rows].join('\n')
    const rows = ['| the dawn watch of spring | first bell |', '| the noon watch of spring | fourth bell |']
    const night = '| the night watch of spring | ninth bell |'
    const [, second, third] = texts(
      chunks([table('From', ...rows), table('From', rows[0] ?? '', night), table('To', ...rows)]),
    )
    expect(second).toBe(`${table('From')}\n[…]\n${night}`)
    expect(third).toBe(table('To', ...rows))
  })

  it('a code block, as a whole, and it goes as a whole', () => {
    const code = (port: number) =>
      `\`\`\`yaml\nname: the bell of the gate\nport: ${port}\nlog: the ledger of the gate\n\`\`\``
    const pool = chunks([
      `Start it.\n\n${code(1)}`,
      `Write the name of the bell down.\n\n${code(2)}`,
      `Stop the bell with this key.\n\n${code(1)}`,
    ])
    expect(texts(pool)).toEqual([pool[0]?.chunk.text, pool[1]?.chunk.text, 'Stop the bell with this key.'])
  })

  it('the heading above a text, while a heading with nothing under it goes', () => {
    const [, second] = texts(
      chunks([`${SAFETY} The valve is red.`, `## Rules\n\n${SAFETY}\n\n## Care\n\nThe lamp is wiped each night.`]),
    )
    expect(second).toBe('## Care\n\nThe lamp is wiped each night.')
  })

  it('the sentence that the next one refers to', () => {
    const [, second] = texts(
      chunks([
        'The gate is opened by two sworn hands. They wear gloves of felt.',
        'The gate is opened by two sworn hands. They never wear any rings.',
      ]),
    )
    expect(second).toContain('two sworn hands. They never wear any rings.')
  })

  it('a short sentence that is equal by chance, but not one in a repeated run', () => {
    const pool = chunks([
      `${SAFETY} See below. The valve is red and new.`,
      'The rope is oiled each spring. See below. The lamp is wiped each night.',
      `The bell is rung at noon. ${SAFETY} See below. The oar is kept in the dry.`,
    ])
    expect(texts(pool).slice(1)).toEqual([
      pool[1]?.chunk.text,
      'The bell is rung at noon.\n[…]\nThe oar is kept in the dry.',
    ])
  })
})

it('neighbouring chunks that overlap are joined as before, without a gap', () => {
  const sentences = Array.from({ length: 9 }, (_, n) => `The keeper number ${n} climbs the tower at bell ${n}. `)
  const text = sentences.join('')
  const part = (first: number, last: number, id: number): Candidate => {
    const own = sentences.slice(first, last).join('')
    const charStart = sentences.slice(0, first).join('').length
    return candidate({ id, orderIndex: id, text: own, charStart, charEnd: charStart + own.length }, 1 - id / 10)
  }
  const pool = [part(0, 4, 0), part(3, 7, 1), part(6, 9, 2)]
  for (const order of [pool, [...pool].reverse()])
    for (const known of [true, false]) {
      const list = order.map(each =>
        known ? each : { ...each, chunk: { ...each.chunk, charStart: null, charEnd: null } },
      )
      expect(pack(list).context).toContain(text.trim())
    }
})

const WORDS = 'harbour tide lantern ledger gate stone keeper salt oar bell rope tower wave mast'.split(' ')
/** They begin with a capital, because a full stop before a small letter does not end a sentence. */
const words = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength, maxLength }).map(each => `The ${each.join(' ')}`)
/** Few different sentences, so that chunks really share them. */
const sharedSentences = fc.uniqueArray(words(5, 9), { minLength: 3, maxLength: 8 })
const places = fc.array(fc.array(fc.nat(99), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 })

describe('compared with every packed sentence one by one,', () => {
  const pools = fc
    .record({ sentences: sharedSentences, places })
    .map(({ sentences, places: drawn }) => drawn.map(each => each.map(at => sentences[at % sentences.length] ?? '')))

  it('exactly the sentences that are not packed before are packed, in the order of filling', () => {
    fc.assert(
      fc.property(pools, pool => {
        const packed: string[] = []
        const expected = pool.map(sentences => {
          const fresh = sentences.filter((sentence, at) => {
            const isKnown = packed.some(other => other === sentence)
            return !isKnown && sentences.indexOf(sentence) === at
          })
          packed.push(...fresh)
          return fresh
        })
        const shown = texts(chunks(pool.map(sentences => sentences.map(each => `${each}. `).join(''))))
        expect(
          shown.map(text =>
            splitSentences((text ?? '').replaceAll('\n[…]\n', ' '))
              .map(each => each.text.trim().slice(0, -1))
              .filter(each => each !== ''),
          ),
        ).toEqual(expected)
      }),
    )
  })
})

/** Prose, short sentences, lists, tables, headings and code that share their parts. */
const mixedPools = fc
  .record({
    sentences: sharedSentences,
    places,
    kinds: fc.array(fc.nat(6), { minLength: 8, maxLength: 64 }),
    starts: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
  })
  .map(({ sentences, places: drawn, kinds, starts }) =>
    chunks(
      drawn.map((each, chunkAt) =>
        each
          .map((at, place) => {
            const text = sentences[at % sentences.length] ?? ''
            const kind = kinds[(7 * at + (starts[chunkAt] ?? 0)) % kinds.length]
            if (kind === 1) return `See ${at % 3}. `
            if (kind === 2)
              return `\n\n${text}:\n\n- ${sentences[place % sentences.length]}\n- ${text}\n- oar ${at % 2}\n\n`
            if (kind === 3)
              return `\n\n| ${text} |\n|---|\n| ${sentences[place % sentences.length]} |\n| bell ${at % 2} |\n\n`
            if (kind === 4) return `\n## Part ${at % 3}\n\n`
            if (kind === 5) return `\n\n\`\`\`\n${text}\n\n${text}\n\`\`\`\n\n`
            return `${text}. `
          })
          .join(''),
      ),
      place => ({ docId: `doc${place % 3}`, sectionPath: `Doc > ${place % 2}` }),
    ),
  )

describe('whatever is packed,', () => {
  const scopes = fc.constantFrom('section' as const, 'context' as const)

  it('finds each gold passage of whole sentences that it finds with all repetitions', () => {
    fc.assert(
      fc.property(mixedPools, scopes, (pool, repetition) => {
        const golds = pool.flatMap(({ chunk: { text } }) => splitSentences(text).map(each => each.text))
        const finder = new GoldFinder(golds.filter(gold => !/^\s*(?:#|\|[-|]*\s*$)/u.test(gold)))
        const found = (over: Partial<PackOptions>) => finder.in(pack(pool, over).context).golds.map(gold => gold.found)
        const [all, without] = [found({ repetition: 'off' }), found({ repetition })]
        for (const [at, count] of without.entries()) expect(count).toBeGreaterThanOrEqual(all[at] ?? 0)
      }),
      { numRuns: 60 },
    )
  })

  it('is text of the chunk in its order, has whole code blocks, and each row under its head', () => {
    fc.assert(
      fc.property(mixedPools, scopes, (pool, repetition) => {
        const { packed } = pack(pool, { repetition })
        for (const {
          candidate: { chunk },
          spans,
        } of packed) {
          let end = -1
          for (const span of spans) {
            expect(span.start).toBeGreaterThan(end)
            end = span.end
            const text = chunk.text.slice(span.start, span.end)
            expect((text.match(/```/gu) ?? []).length % 2).toBe(0)
          }
          const kept = spans.map(span => chunk.text.slice(span.start, span.end)).join('')
          for (const { index } of kept.matchAll(/\| bell/gu))
            expect(kept.slice(0, index)).toMatch(/\|---\|\n(?:\|[^\n]*\n)*$/u)
          for (const { index } of kept.matchAll(/- oar/gu))
            expect(kept.slice(0, index)).toMatch(/:\n\n(?:- [^\n]*\n)*$/u)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('stays within the budget, and takes no more tokens than with all repetitions', () => {
    fc.assert(
      fc.property(mixedPools, scopes, fc.integer({ min: 5, max: 200 }), (pool, repetition, budgetTokens) => {
        expect(pack(pool, { repetition, budgetTokens }).tokens).toBeLessThanOrEqual(budgetTokens)
        expect(pack(pool, { repetition }).packed.length).toBeGreaterThan(0)
      }),
      { numRuns: 40 },
    )
  })
})

describe('the work is linear:', () => {
  it('10,000 equal sentences and 100 kB of one character are packed once, in as many steps as the text is long', () => {
    const stepsOf = (text: string) => {
      const work = packInSteps(
        chunks([text, `${text} `]),
        null,
        { ...OPTIONS, budgetTokens: 1_000_000 },
        inSteps(countWords),
      )
      let steps = 0
      for (let step = work.next(); ; step = work.next(), steps++)
        if (step.done) return { steps, tokens: step.value.tokens }
    }
    const half = stepsOf('Oil the bell of the lower gate.\n'.repeat(2_000))
    const whole = stepsOf('Oil the bell of the lower gate.\n'.repeat(4_000))
    expect(whole.tokens).toBeLessThan(40)
    expect(whole.steps).toBeLessThan(2.5 * half.steps)
    expect(stepsOf('Oil the bell of the lower gate.\n'.repeat(10_000)).tokens).toBeLessThan(100_000)
    expect(stepsOf('a'.repeat(100_000)).tokens).toBeLessThan(20)
  })
})
