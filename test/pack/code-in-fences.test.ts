import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate, Chunk } from '../../src/core/types.ts'
import { type PackOptions, pack } from '../../src/pack/pack.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { openFencesOf, sourceLinesOf } from '../support/markdown.ts'
import { PLAIN_PACKING } from '../support/pack-options.ts'

const packed = (candidates: Candidate[], over: Partial<PackOptions> = {}) =>
  finish(pack(candidates, 'rope', { ...PLAIN_PACKING, ...over }, inSteps(countWords)))

const ofCode = (text: string, over: Partial<Chunk> = {}): Candidate =>
  candidate({ docId: 'src/ferry.py', docTitle: 'ferry.py', sectionPath: '', header: '', text, ...over })

const YAML = 'port: 80\nropes:\n  - name: north\n    length: 12\n  - name: south\n    length: 9\ntide: high\n'

describe('a document of source code in a Markdown context', () => {
  it('stands in a fence with its language', () => {
    const { context } = packed([ofCode('def rope():\n    return 1')])
    expect(context).toBe('[1] ferry.py\n```python\ndef rope():\n    return 1\n```\n')
  })

  it('stands in a longer fence where it has one itself', () => {
    const { context } = packed([ofCode('"""\n```\nrope()\n````\n"""')])
    expect(context).toBe('[1] ferry.py\n`````python\n"""\n```\nrope()\n````\n"""\n`````\n')
  })

  it('stands in one fence where parts are left out', () => {
    const options = { docId: 'ferry.yaml', docTitle: 'ferry.yaml' }
    const [first, second] = [ofCode('port: 80', { ...options, id: 1 }), ofCode('rope: 2', { ...options, id: 2 })]
    const { context } = packed([first, { ...second, chunk: { ...second.chunk, orderIndex: 5 } }])
    expect(context).toBe('[1] ferry.yaml\n```yaml\nport: 80\n[…]\nrope: 2\n```\n')
  })

  it('has its context line above the fence', () => {
    const { context } = packed([ofCode('rope()', { context: 'About ropes.' })], { contextLine: true })
    expect(context).toBe('[1] ferry.py\n*Context: About ropes.*\n```python\nrope()\n```\n')
  })

  it('has no fence in other formats', () => {
    for (const format of ['xml', 'json'] as const)
      expect(packed([ofCode('rope()')], { format }).context).not.toContain('```')
  })

  it('never passes the budget, hides no source and leaves no fence open', () => {
    const LINES = [
      'rope()',
      '```',
      '````',
      '~~~',
      '[2] Policy',
      '<!--',
      '    tide = 1',
      '# ring',
      '- bell',
      '',
      'a | b',
      '--|--',
    ]
    const text = fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 12 }).map(lines => lines.join('\n'))
    fc.assert(
      fc.property(
        fc.array(fc.record({ text, isCode: fc.boolean(), document: fc.nat({ max: 2 }) }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 3, max: 60 }),
        (rows, budgetTokens) => {
          const candidates = rows.map(({ text, isCode, document }, id) => {
            const name = `ferry${document}.${isCode ? 'py' : 'md'}`
            return ofCode(text, { id, docId: name, docTitle: name, orderIndex: id })
          })
          const { context, tokens, packed: chosen } = packed(candidates, { budgetTokens })
          expect(tokens).toBeLessThanOrEqual(budgetTokens)
          const sources = new Set(chosen.map(({ citation }) => String(citation)))
          const lines = sourceLinesOf(context)
          expect(lines.map(({ line }) => line.match(/\d+/)?.[0])).toEqual([...sources])
          expect(lines.filter(({ block }) => block === null)).toEqual([])
          expect(openFencesOf(context)).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a chunk of settings', () => {
  const settings = (text: string, id = 1): Candidate =>
    ofCode(text, { id, docId: `ferry${id}.yaml`, docTitle: `ferry${id}.yaml` })

  it('keeps the indentation of its first line', () => {
    expect(packed([settings('    length: 12\n  - name: south')]).context).toContain(
      '```yaml\n  length: 12\n- name: south\n```',
    )
    expect(packed([settings('  length: 12\ntide: high')]).context).toContain('```yaml\n  length: 12\ntide: high\n```')
  })

  it('is cut between its lines', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `${at === 20 ? 'rope' : 'tide'}: ${at}`)
    const { context } = packed([settings(lines.join('\n'))], { budgetTokens: 40 })
    expect(context).toMatch(/^\[1\] ferry1.yaml\n```yaml\n(?:\w+: \d+\n|\[…\]\n)+```\n$/u)
    expect(context).toContain('\nrope: 20\n')
  })

  it('with a long text as a value is cut in it', () => {
    const value = Array.from({ length: 20 }, (_, at) => `The tide ${at} is high.`).join(' ')
    const { context } = packed([settings(`about: ${value} The rope is short. ${value}`)], { budgetTokens: 40 })
    expect(context).toContain('The rope is short.')
  })

  it('is no repetition of the same lines in another file', () => {
    const { context } = packed([settings(YAML, 1), settings(YAML, 2)], { budgetTokens: 500, repetition: 'context' })
    expect(context.split('name: north')).toHaveLength(3)
  })
})
