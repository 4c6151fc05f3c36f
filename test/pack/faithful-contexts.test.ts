import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate, ContextFormat } from '../../src/core/types.ts'
import { chunkMarkdown } from '../../src/ingest/chunking/chunk-markdown.ts'
import { pack } from '../../src/pack/pack.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { PLAIN_PACKING } from '../support/pack-options.ts'

/** What a reader takes from a context must be what the document says. */
function contextOf(pool: Candidate[], budgetTokens = 500, format: ContextFormat = 'markdown'): string {
  const options = { ...PLAIN_PACKING, budgetTokens, format, repeatHeading: false }
  return finish(pack(pool, null, options, inSteps(countWords))).context
}

/** The chunks of a text as `ingest` stores them. */
function chunked(text: string, targetTokens: number): Candidate[] {
  const chunks = chunkMarkdown({ text, title: 'Guide' }, { count: countWords, targetTokens })
  return chunks.map((chunk, id) => candidate({ id, docTitle: 'Guide', ...chunk }, 1 - id / 100))
}

it('a second section of the same name is behind a gap mark', () => {
  const rule = 'The limit must stay as it is written here. '.repeat(4)
  const text = `# Guide\n\n## Example\n\nSet it to 5. ${rule}\n\n## Example\n\nSet it to 50. ${rule}\n`
  const context = contextOf(chunked(text, 40).filter(({ chunk }) => chunk.sectionPath.endsWith('Example')))
  expect(context).toMatch(/here\.\n\[…\]\nSet it to 50\./u)
})

it.each([
  ['', '| item | price |\n|---|---|\n'],
  [' that is drawn with signs', '+------+-------+\n| item | price |\n+------+-------+\n'],
])('a table of several chunks%s has its head once', (_, head) => {
  const rows = Array.from({ length: 40 }, (_, at) => `| item ${at} | ${at * 10} coins |`).join('\n')
  const table = head + rows
  const pool = chunked(`# Prices\n\n${table}\n`, 60)
  expect(pool.length).toBeGreaterThan(2)
  expect(contextOf(pool, 5_000)).toContain(table)
})

it.each([
  ['', (names: string) => `| ${names} | price |\n|---|---|\n`],
  [' that is drawn with signs', (names: string) => `+------+-----+\n| ${names} | price |\n+------+-----+\n`],
])('rows that are packed as sentences are below the head of their table%s', (_, headOf) => {
  const table = (names: string) =>
    `${headOf(names)}${Array.from({ length: 9 }, (_, at) => `| ${names} ${at} | ${at * 10} coins |`).join('\n')}`
  const text = `Prices follow.\n\n${table('bell')}\n\n${table('rope')}\n\n| alone | 1 |\n\nThe end.\n`
  for (let budgetTokens = 10; budgetTokens < 150; budgetTokens++) {
    const options = { ...PLAIN_PACKING, mode: 'sentence' as const, budgetTokens }
    const { context } = finish(pack([candidate({ text })], 'price of bell 7 and rope 3', options, inSteps(countWords)))
    for (const names of ['bell', 'rope']) {
      const head = headOf(names)
      const row = new RegExp(`\\| ${names} \\d`, 'u').exec(context)
      expect(context.split(head).length - 1).toBe(row ? 1 : 0)
      if (row) expect(context.indexOf(head)).toBeLessThan(row.index)
    }
    if (budgetTokens > 100) expect(context).toContain('| bell 7 |')
  }
})

it('a fence that is open at the end of a chunk does not swallow the next part', () => {
  const first = candidate({ id: 1, orderIndex: 0, text: 'Install it:\n\n```bash\nnpm ci' }, 0.9)
  const second = candidate({ id: 2, orderIndex: 5, text: 'Then edit it:\n\n```\nport = 1\n```\n\nRestart it.' }, 0.8)
  const context = contextOf([first, second])
  expect(context).toContain('```bash\nnpm ci\n```\n[…]\nThen edit it:\n\n```\nport = 1\n```')
})

describe('what is cut out of a chunk', () => {
  const bodies = [
    ['an item of a nested list', '  - a laser\n- Allowed:\n  - a hammer'],
    ['a method of a class', '    def stop(self):\n        self.off()\n\nclass Lid:\n    open = False'],
  ]

  it.each(bodies)('keeps the place of %s', (_, text) => {
    expect(contextOf([candidate({ text })])).toContain(`\n${text}`)
  })

  it('loses what all lines of a list have in common', () => {
    expect(contextOf([candidate({ text: '    - a laser\n      - a lens\n    - a torch' })])).toContain(
      '\n- a laser\n  - a lens\n- a torch',
    )
  })
})

describe('a cut chunk does not end with what says nothing alone:', () => {
  const rows = Array.from(
    { length: 20 },
    (_, at) => `| field ${at} of the answer | ${'what it means '.repeat(6)}|`,
  ).join('\n')
  const table = `The answer has fields:\n\n<!-- generated: answer -->\n\n| field | meaning |\n|---|---|\n${rows}\n`
  const calls = `    parse("${'a long text '.repeat(20)}")\n`.repeat(3)
  const code = `Parse it so:\n\n\`\`\`js\ntry {\n${calls}} catch (error) {\n${calls}}\n\`\`\`\n`

  it.each([
    ['a comment', table],
    ['the beginning of a block of code', code],
  ])('%s', (_, text) => {
    for (const query of ['answer', 'try to parse']) {
      const matches = new Map([[candidate().key, Array.from({ length: 40 }, () => 1)]])
      for (const sentenceMatches of [undefined, matches])
        for (let budgetTokens = 10; budgetTokens < 60; budgetTokens++) {
          const options = { ...PLAIN_PACKING, budgetTokens, format: 'markdown', repeatHeading: false } as const
          const { packed } = finish(
            pack(
              [candidate({ text })],
              query,
              { ...options, ...(sentenceMatches && { sentenceMatches }) },
              inSteps(countWords),
            ),
          )
          expect(
            packed
              .map(chunk => chunk.text.replace(/(?:\[…\]|[\s`])+$/u, ''))
              .filter(shown => /(?:[{(:]|-->)$/u.test(shown)),
          ).toEqual([])
        }
    }
  })
})

it.each(['markdown', 'xml', 'json'] as const)(
  'a long address as document id leaves room for the text in %s',
  format => {
    const docId = `https://files.example/${'signature'.repeat(100)}`
    const context = contextOf([candidate({ docId, docTitle: '', text: 'The bell rings at noon.' })], 200, format)
    expect(context).toContain('The bell rings at noon.')
    expect(context).not.toContain(docId)
  },
)
