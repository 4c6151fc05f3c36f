import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { type Candidate, CONTEXT_FORMATS, CONTEXT_ORDERS } from '../../src/core/types.ts'
import { pack as packInSteps } from '../../src/pack/pack.ts'
import { createTokenizer } from '../../src/text/tokens.ts'
import { candidate, candidates, inSteps } from '../support/candidates.ts'
import { PLAIN_PACKING as PLAIN } from '../support/pack-options.ts'

const tokenizer = createTokenizer('gpt-4o-2024-11-20')
const countTokens = (text: string) => tokenizer.count(text)
const pack = (pool: Candidate[], over: Partial<typeof PLAIN> = {}) =>
  finish(packInSteps(pool, 'harbour tide', { ...PLAIN, ...over }, inSteps(countTokens)))

const TITLE = { docTitle: 'Setup', sectionPath: 'Setup > Keys' }
const V1 = candidate({ id: 1, docId: 'v1/setup.md', docName: 'version 1', text: 'Keys are words.', ...TITLE }, 0.9)
const V2 = candidate({ id: 2, docId: 'v2/setup.md', docName: 'version 2', text: 'Keys are files.', ...TITLE }, 0.8)
const USE = { docTitle: 'Use', docName: 'version 2', sectionPath: 'Use' }
const OTHER = candidate({ id: 3, docId: 'v2/use.md', text: 'Turn the key.', ...USE }, 0.1)

describe('what the path says beside a title', () => {
  it('is shown where another document among the candidates has the same title', () => {
    const { context, packed } = pack([V1, V2, OTHER])
    expect(context).toContain('[1] Setup (version 1) > Keys\nKeys are words.')
    expect(context).toContain('Setup (version 2) > Keys\nKeys are files.')
    expect(context).toMatch(/\[\d\] Use\n/u)
    expect(packed[0]?.candidate.chunk.docTitle).toBe('Setup')
  })

  it('is shown where titles differ in case alone', () => {
    const { context } = pack([V1, { ...V2, chunk: { ...V2.chunk, docTitle: 'SETUP' } }])
    expect(context).toContain('SETUP (version 2) > Setup > Keys')
  })

  it.each([
    'README',
    'readme.md',
    'CHANGELOG',
    'Release Notes',
    'Release History',
    'FAQ',
    'Frequently Asked Questions',
    'index',
  ])('is shown beside %s, which any product has', title => {
    const one = candidate({ docId: `photon/${title}`, docTitle: title, docName: 'photon', sectionPath: 'Keys' })
    expect(pack([one]).context).toContain(`[1] ${title} (photon) > Keys`)
  })

  it('is shown although the other document does not fit', () => {
    expect(pack([V1, { ...V2, chunk: { ...V2.chunk, text: 'tide '.repeat(500) } }], { budgetTokens: 40 }).context).toBe(
      '[1] Setup (version 1) > Keys\nKeys are words.\n',
    )
  })

  it('is not shown for chunks of one document, nor where ids say nothing', () => {
    const again = candidate({ id: 4, docId: 'v1/setup.md', docName: 'version 1', text: 'More.', ...TITLE }, 0.5)
    expect(pack([V1, again]).context).not.toContain('version')
    const { docName: _, ...chunk } = V2.chunk
    expect(pack([V1, { ...V2, chunk }]).context).toContain('Setup > Keys\nKeys are files.')
  })

  it('is always shown in the order that keeps the prefix of a prompt', () => {
    const first = pack([V1], { order: 'stable' }).context
    const second = pack([V1, V2], { order: 'stable', previous: new Map([[V1.key, 0]]) }).context
    expect(first).toContain('Setup (version 1) > Keys')
    expect(second.startsWith(first)).toBe(true)
  })

  it('keeps headings out of texts that the source line has', () => {
    const text = '# Setup\n\n## Keys\n\nKeys are words.'
    const { context } = pack([{ ...V1, chunk: { ...V1.chunk, text } }, V2], { repeatHeading: false })
    expect(context).toContain('Setup (version 1) > Keys\nKeys are words.')
  })

  it('never takes a context over its budget', () => {
    const shared = (pool: Candidate[]) =>
      pool.map(one => ({ ...one, chunk: { ...one.chunk, docTitle: 'Doc', docName: `the name of ${one.chunk.docId}` } }))
    fc.assert(
      fc.property(
        candidates().map(shared),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(...CONTEXT_FORMATS),
        fc.constantFrom(...CONTEXT_ORDERS),
        (pool, budgetTokens, format, order) => {
          const { context, tokens } = pack(pool, { budgetTokens, format, order, repeatHeading: false })
          expect(tokens).toBeLessThanOrEqual(budgetTokens)
          expect(tokens).toBe(countTokens(context))
        },
      ),
    )
  })
})
