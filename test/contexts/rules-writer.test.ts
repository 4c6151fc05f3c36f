import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContextDocument } from '../../src/contexts/context.ts'
import { encodedText } from '../../src/contexts/encoded-text.ts'
import { createRulesWriter } from '../../src/contexts/rules/rules-writer.ts'

const countTokens = (text: string) => text.split(/\s+/).filter(word => word !== '').length
const writer = createRulesWriter({ countTokens })
const { signal } = new AbortController()

const policy: ContextDocument = {
  docId: 'travel',
  title: 'Travel policy',
  lang: 'en',
  text: [
    '# Travel policy',
    'This policy covers trips of employees that the company pays for.',
    '## Levels',
    'Trips have one of three levels of risk, which the security desk assigns.',
    '**Level 3 travel**: trips to regions with armed conflict.',
    'The Personal Data Protection Act (PDPA) applies to all bookings.',
    '## Insurance',
    'Every trip is insured by the company from door to door.',
    'For Level 3 travel the threshold is $500,000 under the PDPA.',
  ].join('\n\n'),
}

async function contextOf(text: string, document = policy): Promise<string> {
  const start = document.text.indexOf(text)
  const chunk = { sectionPath: 'Travel policy > Insurance', text, start: start < 0 ? null : start }
  return (await writer.write({ document, chunk }, signal)).text
}

describe('contexts by rules', () => {
  it('says what document and section begin with, and what the terms of the chunk mean', async () => {
    const context = await contextOf('For Level 3 travel the threshold is $500,000 under the PDPA.')
    expect(context).toBe(
      'Travel policy > Insurance. This policy covers trips of employees that the company pays for. ' +
        'Every trip is insured by the company from door to door. ' +
        '**Level 3 travel**: trips to regions with armed conflict. ' +
        'The Personal Data Protection Act (PDPA) applies to all bookings.',
    )
  })

  it('says nothing that the chunk says itself, and nothing at all when nothing is left', async () => {
    expect(await contextOf(policy.text)).toBe('')
    const insurance = policy.text.slice(policy.text.indexOf('## Insurance'))
    expect(await contextOf(insurance)).not.toContain('door to door')
  })

  it('finds terms as whole words only', async () => {
    const document = { ...policy, text: 'The “net” means the amount after tax.\n\nA network costs 5 euros each month.' }
    expect(await contextOf('A network costs 5 euros each month.', document)).not.toContain('after tax.\n')
    expect(await contextOf('The net is 5 euros in each month.', document)).toContain('amount after tax')
  })

  it('stays short, and takes linear time, whatever the document holds', async () => {
    for (const text of [
      'x'.repeat(100_000),
      '# '.repeat(50_000),
      'A B '.repeat(25_000),
      '**a**: b.\n'.repeat(10_000),
    ]) {
      const context = await contextOf(text.slice(0, 500), { ...policy, text })
      expect(context.length).toBeLessThan(3_000)
    }
  })

  it('is the same each time, and every sentence but the first stands in the document', async () => {
    const word = fc.constantFrom(
      'Tide',
      'the gauge',
      'means',
      'Harbour Master Office (HMO)',
      '## Bells',
      '\n\n',
      '“Pier”',
      '.',
      'is 5',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 60 }), fc.nat(), async (words, from) => {
        const text = words.join(' ')
        const chunk = text.slice(from % (text.length + 1))
        const document = { ...policy, title: '', text }
        const request = { document, chunk: { sectionPath: '', text: chunk, start: from % (text.length + 1) } }
        const first = await writer.write(request, signal)
        expect(await createRulesWriter({ countTokens }).write(request, signal)).toEqual(first)
        const known = text.replace(/\s+/g, ' ')
        expect(
          first.text === '' ||
            first.text.split(/ (?=Tide)/).every(part => known.includes(part.replace(/ …$/, '').slice(0, 20))),
        ).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the text that is encoded', () => {
  it('holds the context, the names, the path and the text, and leaves out what is empty', () => {
    expect(encodedText({ docTitle: 'T', sectionPath: 'A', text: 'x', context: 'c' })).toBe('c\nT > A\nx')
    expect(encodedText({ docTitle: 'T', docName: 'v', sectionPath: 'A', text: 'x' })).toBe('T (v) > A\nx')
    expect(encodedText({ docTitle: '', sectionPath: '', text: 'x', context: '' })).toBe('x')
  })
})
