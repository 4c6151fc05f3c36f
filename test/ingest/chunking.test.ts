import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkMarkdown, type DocumentChunk } from '../../src/ingest/chunking/chunk-markdown.ts'
import type { ChunkOptions } from '../../src/ingest/chunking/options.ts'
import { readSections } from '../../src/ingest/chunking/sections.ts'

/** Words and punctuation marks: near enough to tokens, and additive over any cut at white space. */
const count = (text: string): number => text.match(/\w+|[^\w\s]/gu)?.length ?? 0

function chunk(text: string, options: Partial<ChunkOptions> = {}): DocumentChunk[] {
  return chunkMarkdown({ text }, { targetTokens: 50, count, ...options })
}

function words(n: number, tag = 'word'): string {
  return Array.from({ length: n }, (_, i) => `${tag}${i}${i % 9 === 8 ? '.' : ''}`).join(' ')
}

/** What must hold of the chunks of any text. The faults are collected, because thousands of `expect` calls take seconds. */
function checkInvariants(text: string, chunks: DocumentChunk[]): void {
  const covered = new Uint8Array(text.length)
  const faults = chunks.flatMap((piece, index) => {
    covered.fill(1, piece.charStart, piece.charEnd)
    const own = text.slice(piece.charStart, piece.charEnd)
    const repeated = piece.text.slice(0, -own.length)
    const before = chunks[index - 1]
    const isKnownHead = HEAD.test(repeated) && text.slice(0, piece.charStart).includes(repeated.trimEnd())
    const rules = {
      'is numbered': piece.orderIndex === index,
      'ends in its slice': piece.text === repeated + own,
      'begins with its slice, the head of a table or a fence': repeated === '' || isKnownHead,
      'is not blank and has no blank end': piece.text.trim() !== '' && piece.text === piece.text.trimEnd(),
      'comes after the chunk before': !before || (piece.charStart > before.charStart && piece.charEnd > before.charEnd),
      'overlaps in its section only':
        !before || piece.charStart >= before.charEnd || piece.sectionPath === before.sectionPath,
    }
    return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`chunk ${index}: ${rule}`]))
  })
  const missed = text.split('').map((character, at) => (covered[at] === 1 || character === '\n' ? ' ' : character))
  for (const { heading, blocks } of readSections(text)) {
    // A heading that nothing follows may be left out, and so may a block without a word.
    for (const { start, end } of heading ? [heading, ...blocks] : blocks) {
      const isHeading = start === heading?.start
      if (isHeading || !/[\p{L}\p{N}\p{So}]/u.test(text.slice(start, end))) missed.fill(' ', start, end)
    }
  }
  expect({ faults, missed: missed.join('').replace(/[\s\uFEFF]/g, '') }).toEqual({ faults: [], missed: '' })
}

/** The head of a table, or an opening fence. */
const HEAD = /^(?:[^\n]*\n[^\n\w]*|```)\n$/

const line = fc.stringMatching(/^[a-zé漢]{1,8}( [a-z0-9]{1,8}){0,12}[.:!?]?$/)
const block = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([depth, title]) => `${'#'.repeat(depth)} ${title}`),
  fc.array(line, { minLength: 1, maxLength: 12 }).map(lines => lines.join(' ')),
  fc.array(line, { minLength: 1, maxLength: 12 }).map(lines => lines.map(item => `- ${item}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 12 })
    .map(rows => ['a | b', '--|--', ...rows.map(row => `${row} | 1`)].join('\n')),
  fc.array(line, { minLength: 1, maxLength: 12 }).map(lines => ['```', '# no heading', ...lines, '```'].join('\n')),
  line.map(title => `${title}\n=====`),
  line.map(quote => `> # ${quote}\n> more`),
)
const markdown = fc
  .tuple(fc.array(block, { maxLength: 25 }), fc.constantFrom('\n\n', '\r\n\r\n', '\n\n\n'))
  .map(([blocks, gap]) => (gap === '\r\n\r\n' ? blocks.join(gap).replace(/(?<!\r)\n/g, '\r\n') : blocks.join(gap)))

describe('chunkMarkdown, on any text', () => {
  it('gives exact slices that cover all of a markdown document in order', () => {
    fc.assert(
      fc.property(markdown, text => checkInvariants(text, chunk(text, { targetTokens: 30 }))),
      { numRuns: 200 },
    )
  })

  it('holds the same for arbitrary strings', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 })
    const marks = fc.array(fc.constantFrom('#', ' ', '\n', '>', '-', '|', '`', '1.', 'a', '\t', '---', '😀'), {
      maxLength: 120,
    })
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          marks.map(all => all.join('')),
        ),
        given => checkInvariants(given, chunk(given, { targetTokens: 8 })),
      ),
      {
        numRuns: 400,
      },
    )
  })

  it('loses no word of short sections among empty headings, whatever their depths', () => {
    const part = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 12 }),
      fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 })),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.constantFrom(30, 100, 200), (parts, targetTokens) => {
        const named = (n: number, tag: string) => Array.from({ length: n }, (_, i) => `${tag}x${i}`).join(' ')
        const sections = parts.map(([depth, title, length], at) => {
          const heading = `${'#'.repeat(depth)} ${named(title, `t${at}`)}`
          return length === 0 ? { heading, text: '' } : { heading, text: `${named(length, `s${at}`)}.` }
        })
        const chunks = chunk(sections.map(({ heading, text }) => `${heading}\n\n${text}`).join('\n\n'), {
          targetTokens,
        })
        const found = new Set(chunks.flatMap(piece => piece.text.match(/\w+/g)))
        const said = sections.filter(({ text }) => text !== '').flatMap(({ heading, text }) => [heading, text])
        expect(said.flatMap(text => text.match(/\w+/g)).filter(word => !found.has(word))).toEqual([])
        const withText = sections.filter(({ text }) => text !== '').map(({ heading }) => heading)
        for (const piece of chunks) expect(withText).toContain(piece.header)
      }),
      { numRuns: 200 },
    )
  })

  it('keeps chunks of prose below 1.5 targets and gives the same answer twice', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 120 }),
        fc.integer({ min: 20, max: 80 }),
        (lines, targetTokens) => {
          const text = lines.join('. ')
          const chunks = chunk(text, { targetTokens })
          for (const piece of chunks) expect(count(piece.text)).toBeLessThanOrEqual(1.55 * targetTokens)
          expect(chunk(text, { targetTokens })).toEqual(chunks)
        },
      ),
      { numRuns: 100 },
    )
  })

  it.each([
    ['one letter', 'a'.repeat(100_000)],
    ['no newline', 'word '.repeat(20_000)],
    ['quotes nested without end', '>a '.repeat(33_000)],
    ['numbers nested without end', '1. '.repeat(33_000)],
    ['underlined headings', `a\n===\n\n${'b '.repeat(40)}\n\n`.repeat(1_100)],
    ['open brackets', '[a'.repeat(50_000)],
    ['dots and letters', 'a.'.repeat(50_000)],
    ['pairs of surrogates', '😀'.repeat(50_000)],
  ])('cuts 100 kB of %s into bounded chunks', (_, text) => {
    const byLength = (part: string): number => Math.ceil(part.length / 4)
    const chunks = chunk(text, { targetTokens: 200, count: byLength })
    checkInvariants(text, chunks)
    expect(chunks.length).toBeGreaterThan(50)
    for (const piece of chunks) {
      expect(piece.tokens).toBeLessThanOrEqual(320)
      expect(piece.text.isWellFormed?.() ?? true).toBe(true)
    }
  })
})

describe('chunkMarkdown, sections', () => {
  it('carries the path and the header line', () => {
    const chunks = chunk(
      `# Guide\n\n${words(30)}\n\n## Set *up* ##\n\n${words(30)}\n\n### On [Linux](x)\n\n${words(30)}\n\n## Use\n\n${words(30)}`,
    )
    expect(chunks.map(piece => piece.sectionPath)).toEqual([
      'Guide',
      'Guide > Set up',
      'Guide > Set up > On Linux',
      'Guide > Use',
    ])
    expect(chunks.map(piece => piece.header)).toEqual(['# Guide', '## Set *up* ##', '### On [Linux](x)', '## Use'])
    expect(chunks[1]?.text.startsWith('## Set *up* ##\n\nword0')).toBe(true)
  })

  it('leaves out the line above a title of reStructuredText', () => {
    const text = `=====\r\nPumps\r\n=====\r\n\r\nThey run.\n\n-----\nCasks\n-----\n\nThey leak.`
    expect(readSections(text).map(({ path, header }) => [path, header])).toEqual([
      ['Pumps', 'Pumps'],
      ['Pumps > Casks', 'Casks'],
    ])
  })

  it('knows underlined headings and skipped levels', () => {
    const chunks = chunk(`Top\n===\n\n${words(30)}\n\n#### Deep\n\n${words(30)}\n\n## Back\n\n${words(30)}`)
    expect(chunks.map(piece => piece.sectionPath)).toEqual(['Top', 'Top > Deep', 'Top > Back'])
    expect(chunks[0]?.header).toBe('Top')
  })

  it('takes no heading from code, quotes, lists or front matter', () => {
    const text = `---\ntitle: A\ntags: b\n---\n\n${words(20)}\n\n\`\`\`sh\n# not one\n\`\`\`\n\n> # nor this\n\n- # nor that\n\n    # indented\n`
    const chunks = chunk(text)
    expect(new Set(chunks.map(piece => piece.sectionPath))).toEqual(new Set(['']))
    checkInvariants(text, chunks)
  })

  it('never joins two sections of the same level that have text, however small', () => {
    const chunks = chunk('## A\n\nfirst text\n\n## B\n\nsecond text')
    expect(chunks.map(piece => piece.text)).toEqual(['## A\n\nfirst text', '## B\n\nsecond text'])
  })

  it('joins a heading with little under it to its first subsection', () => {
    const chunks = chunk(`# A\n\nShort.\n\n## B\n\n### C\n\n${words(30)}\n\n## D\n\n${words(30)}`)
    expect(chunks.map(piece => piece.sectionPath)).toEqual(['A > B > C', 'A > D'])
    expect(chunks[0]?.text.startsWith('# A\n\nShort.\n\n## B\n\n### C')).toBe(true)
    expect(chunks[0]?.header).toBe('### C')
  })

  it.each([
    ['an empty heading', '## Runbook'],
    ['many short empty headings', Array.from({ length: 40 }, (_, i) => `## Step ${i}`).join('\n\n')],
    ['a long empty heading', `## ${words(120)}`],
    ['an empty heading and a section of another chapter', `## Runbook\n\n# Refunds\n\n${words(30)}`],
  ])('keeps a small section before %s, under its own path', (_, after) => {
    const [first] = chunk(`# Payments\n\nCards settle at 02:00. Call Dana Whitfield.\n\n${after}\n`, {
      targetTokens: 200,
    })
    expect(first?.text).toContain('Cards settle at 02:00. Call Dana Whitfield.')
    expect(first).toMatchObject({ sectionPath: 'Payments', header: '# Payments' })
  })

  it.each(['<https://status.example.com/runbook>', '<support@example.com>', '<Customer Number>'])(
    'keeps a last paragraph that is only %s',
    last => {
      expect(chunk(`## Help\n\nAsk the desk.\n\n${last}\n`).map(piece => piece.text)).toEqual([
        `## Help\n\nAsk the desk.\n\n${last}`,
      ])
    },
  )

  it.each(['<!-- end -->', '<br/>', '</div>', '<img src="a.png">', '<my-icon name="x" />'])('leaves out %s', last => {
    expect(chunk(`## Help\n\nAsk the desk.\n\n${last}\n`).map(piece => piece.text)).toEqual([
      '## Help\n\nAsk the desk.',
    ])
  })

  it('reads a text without headings by paragraphs', () => {
    const text = [words(40, 'a'), words(40, 'b'), words(40, 'c')].join('\n\n')
    const chunks = chunk(text, { overlap: 0 })
    expect(chunks.map(piece => piece.text)).toEqual(text.split('\n\n'))
    expect(chunks.every(piece => piece.sectionPath === '' && piece.header === '')).toBe(true)
  })

  it.each(['', ' \n\t\r\n', '\uFEFF'])('makes nothing of %j', text => {
    expect(chunk(text)).toEqual([])
  })

  it('counts offsets past a byte order mark and CRLF', () => {
    const text = `\uFEFF# A\r\n\r\n${words(30)}\r\n\r\n## B\r\n\r\n${words(30)}\r\n`
    const chunks = chunk(text)
    checkInvariants(text, chunks)
    expect(chunks.map(piece => piece.text.slice(0, 4))).toEqual(['# A\r', '## B'])
  })
})

describe('chunkMarkdown, blocks and overlap', () => {
  const table = (rows: number): string =>
    ['| a | b |', '|---|---|', ...Array.from({ length: rows }, (_, i) => `| x${i} | y${i} |`)].join('\n')

  it.each([
    ['table', table(20)],
    ['list', Array.from({ length: 25 }, (_, i) => `- item ${i} here`).join('\n')],
    ['code', `\`\`\`js\n${Array.from({ length: 25 }, (_, i) => `f(${i})`).join('\n\n')}\n\`\`\``],
  ])('keeps a %s of up to three targets whole', (_, atomic) => {
    expect(count(atomic)).toBeGreaterThan(75)
    expect(count(atomic)).toBeLessThanOrEqual(150)
    const text = `# A\n\n${words(45)}\n\n${atomic}\n\n${words(45, 'after')}`
    expect(chunk(text).some(piece => piece.text.includes(atomic))).toBe(true)
  })

  it.each([0, 0.2])('cuts a larger table at its rows, each part under the head, with overlap %s', overlap => {
    const text = `# A\n\n${table(100)}\n\nAfter it.`
    const rows = chunk(text, { overlap })
    expect(rows.length).toBeGreaterThan(3)
    for (const piece of rows) expect(piece.text).toMatch(/^(# A\n\n)?\| a \| b \|\n\|---\|---\|\n\| x\d+ \| y\d+ \|/)
    checkInvariants(text, rows)
    const numbers = rows.flatMap(({ text }) => Array.from(text.matchAll(/x(\d+)/g), ([, number]) => Number(number)))
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })

  it('does not repeat a head that is larger than a chunk', () => {
    const wide = (cell: string) => `${`| ${cell} `.repeat(40)}|`
    const rows = chunk([wide('head'), wide('---'), ...Array.from({ length: 9 }, () => wide('x'))].join('\n'))
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.filter(({ text }) => text.includes('head'))).toHaveLength(2)
  })

  it.each([0, 0.2])('cuts a larger code block at its lines, each part below the fence, with overlap %s', overlap => {
    const code = `\`\`\`js\n${Array.from({ length: 300 }, (_, i) => `  call(${i})`).join('\n')}\n\`\`\``
    const pieces = chunk(code, { overlap })
    expect(pieces.length).toBeGreaterThan(5)
    for (const piece of pieces) expect(piece.text).toMatch(/^```js\n {2}call\(/)
    expect(pieces.filter(piece => piece.text.endsWith('```'))).toHaveLength(1)
  })

  it('cuts a larger item of a list before nested items and paragraphs, else behind sentences', () => {
    const nested = Array.from(
      { length: 12 },
      (_, i) => `  - option${i} is set to\n    ${words(20)}\n    and goes on here.`,
    )
    for (const { text } of chunk(`- options:\n${nested.join('\n')}`, { overlap: 0 }).slice(1))
      expect(text).toMatch(/^ {2}- option/)
    const sentence = `It is ${words(14)}\n  and goes on here.`
    const wrapped = `- ${Array.from({ length: 24 }, () => sentence).join(' ')}`
    const cut = chunk(wrapped, { overlap: 0 })
    expect(cut.length).toBeGreaterThan(3)
    for (const { text } of cut) expect(text).toMatch(/^(?:- )?It is .*on here\.$/s)
  })

  it.each(['```', '~~~js'])('keeps the fences of a larger code block with its lines, for the opening %s', opening => {
    const code = Array.from({ length: 40 }, (_, i) => `call(${i}, ${words(20)})`)
    const end = opening.slice(0, 3)
    for (let before = 1; before <= 60; before++) {
      const text = `# A\n\n${words(before)}.\n\n${opening}\n${code.join('\n')}\n${end}\n\n${words(40)}.`
      const texts = chunk(text, { overlap: 0 }).map(piece => piece.text)
      expect(texts.filter(own => own.includes(`${opening}\ncall(0, `))).toHaveLength(1)
      expect(texts.filter(own => own.includes(`)\n${end}`))).toHaveLength(1)
    }
  })

  it('keeps the sentence that announces a list with the list', () => {
    const list = Array.from({ length: 20 }, (_, i) => `1. do step ${i}`).join('\n')
    const chunks = chunk(`# A\n\n${words(45)}. Then follow these steps:\n\n${list}`)
    expect(chunks.find(piece => piece.text.includes(list))?.text).toContain('Then follow these steps:')
  })

  const code = `\`\`\`js\n${Array.from({ length: 300 }, (_, i) => `call(${i})`).join('\n')}\n\`\`\``
  it.each([
    ['announces a paragraph', '**Do this at once:**', words(45, 'step'), 'step0'],
    ['asks', 'Q: Which rope holds?', words(45, 'step'), 'step0'],
    ['asks, in two sentences', 'I have two ropes. Which of them "holds"?', words(45, 'step'), 'step0'],
    ['is a term of code', '`--bow`, `-b`', words(45, 'step'), 'step0'],
    ['is bold, above code', '**routes.js**', code, '```js'],
    ['no sign ends before code', 'Change it to', `\`\`\`js\n${words(60, 'call')}\n\`\`\``, '```js'],
    ['is a caption with a number', '**Table 2.2. Basins**', table(14), '| a | b |'],
    ['is a caption below a heading', '## Basins\n\n**Sizes.**', table(14), '| a | b |'],
    ['is a caption below a long heading', `## ${words(10)}\n\n**${words(6)}**`, table(14), '| a | b |'],
  ])('keeps a line that %s with what follows, whatever stands before', (_, lead, after, follows) => {
    for (let before = 20; before <= 120; before++) {
      const chunks = chunk(`# A\n\n${words(before)}.\n\n${lead}\n\n${after}`)
      const holders = chunks.filter(piece => piece.text.includes(lead))
      expect(holders.map(({ text }) => text.includes(`${lead}\n\n${follows}`))).not.toContain(false)
    }
  })

  it('keeps a question and its answer in the next line together', () => {
    const pairs = Array.from({ length: 30 }, (_, at) => `Q: Does rope ${at} hold?\nA: Yes, number ${at} does.`)
    for (const separator of ['\n', '\n\n'])
      for (const { text } of chunk(pairs.join(separator)))
        expect(text.match(/^Q: /gm)?.length).toBe(text.match(/^A: /gm)?.length)
  })

  it('cuts a list of questions as it cuts other lines', () => {
    const linesOf = (line: (at: number) => string) =>
      chunk(Array.from({ length: 60 }, (_, at) => line(at)).join('\n')).map(({ text }) => text.split('\n').length)
    expect(linesOf(at => `Does rope ${at} hold?`)).toEqual(linesOf(at => `That rope ${at} holds.`))
  })

  it('makes no chunk of headings or marks only', () => {
    const text = `[![build](b.svg)](b)\n\n# A\n\n***\n\n## B\n\n<br>\n\n## C\n\n${words(60)}\n\n---\n\n## D\n\n### E\n\n<img src="e.png">\n`
    const chunks = chunk(text)
    expect(chunks.map(({ sectionPath }) => sectionPath)).toEqual(chunks.map(() => 'A > C'))
    for (const { text } of chunks) expect(text).toMatch(/word\d/)
    expect(chunk('# A\n\n## B\n\n# C\n')).toEqual([])
    expect(chunk('# a\n'.repeat(2_000))).toEqual([])
    const late = chunk(`${'# a heading\n'.repeat(500)}\ntext at last`)
    expect(late).toHaveLength(1)
    expect(late[0]?.text).toMatch(/text at last$/)
  })

  it('repeats whole sentences of about the share asked for, inside a section only', () => {
    const sentences = Array.from({ length: 120 }, (_, i) => `Sentence number ${i} says little.`)
    const text = `# A\n\n${sentences.join(' ')}\n\n# B\n\n${sentences.join(' ')}`
    const chunks = chunk(text, { targetTokens: 100, overlap: 0.12 })
    const repeats: number[] = []
    chunks.forEach((piece, index) => {
      const before = chunks[index - 1]
      if (!before || before.sectionPath !== piece.sectionPath) return
      const repeated = text.slice(piece.charStart, before.charEnd)
      expect(repeated).toMatch(/^Sentence number .*little\.$/)
      repeats.push(count(repeated) / 100)
    })
    expect(repeats.length).toBeGreaterThan(8)
    for (const share of repeats) {
      expect(share).toBeGreaterThanOrEqual(0.1)
      expect(share).toBeLessThanOrEqual(0.15)
    }
    const apart = chunk(text, { targetTokens: 100, overlap: 0 })
    for (const [index, piece] of apart.entries())
      expect(piece.charStart).toBeGreaterThanOrEqual(apart[index - 1]?.charEnd ?? 0)
  })
})
