import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { pack } from '../../src/pack/pack.ts'
import { withoutSharedSite } from '../../src/pack/source-name.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { PLAIN_PACKING as PLAIN } from '../support/pack-options.ts'

const page = (docId: string, docTitle: string, sectionPath: string) =>
  candidate({
    id: docId,
    docId,
    docTitle,
    sectionPath,
    text: `## ${sectionPath.split(' > ').at(-1)}\n\nText of ${docId}.`,
  })
const titlesOf = (...pages: ReturnType<typeof page>[]) =>
  withoutSharedSite(pages, 'relevance').map(({ pageTitle }) => pageTitle)

describe('the name of a site', () => {
  const setup = page('a', 'Setup — Pumps 2.1', 'Setup > Keys')
  const repair = page('b', 'Repair — Pumps 2.1', 'Repair')

  it('is not shown when the titles of all candidates have it', () => {
    expect(titlesOf(setup, repair)).toEqual(['Setup', 'Repair'])
    expect(titlesOf(page('a', 'Pumps | Setup', 'Setup'), page('b', 'Pumps | Repair', ''))).toEqual(['Setup', 'Repair'])
    const { context, packed } = finish(
      pack(
        [setup, repair],
        null,
        { ...PLAIN, format: 'markdown', budgetTokens: 400, repeatHeading: false },
        inSteps(countWords),
      ),
    )
    expect(context).toBe('[1] Setup > Keys\nText of a.\n\n[2] Repair\nText of b.\n')
    expect(packed.map(({ candidate: { chunk } }) => chunk.docTitle)).toEqual([
      'Setup — Pumps 2.1',
      'Repair — Pumps 2.1',
    ])
  })

  it('is not shown where it is the first heading of each page, too', () => {
    const pages = ['Setup', 'Repair'].map(name => page(name, `Pumps (2.1) — ${name}`, `Pumps > ${name} > Keys`))
    const { context } = finish(
      pack(pages, null, { ...PLAIN, format: 'markdown', budgetTokens: 400 }, inSteps(countWords)),
    )
    for (const name of ['Setup', 'Repair']) expect(context).toMatch(new RegExp(`^\\[\\d\\] ${name} > Keys$`, 'mu'))
  })

  it('is not shown either for text above the first heading of a page, and says nothing of documents without a title', () => {
    expect(titlesOf(setup, page('c', 'Faults — Pumps 2.1', ''), page('d', '', 'Notes'))).toEqual([
      'Setup',
      'Faults',
      undefined,
    ])
  })

  it.each([
    ['one has another one', page('c', 'Setup — Pumps 2.2', 'Setup')],
    ['one has none', page('c', 'Faults', 'Faults')],
    ['one is nothing else', page('c', ' — Pumps 2.1', '')],
  ])('is shown when %s', (_, other) => {
    expect(titlesOf(setup, repair, other)).toEqual([undefined, undefined, undefined])
  })

  it('is shown for a single document, for titles that share an end by chance, and where an earlier turn is kept', () => {
    expect(titlesOf(setup, page('a', 'Setup — Pumps 2.1', 'Setup'))).toEqual([undefined, undefined])
    expect(titlesOf(page('a', 'Set up pumps', 'Set'), page('b', 'Repair pumps', 'Repair'))).toEqual([
      undefined,
      undefined,
    ])
    expect(withoutSharedSite([setup, repair], 'stable')).toEqual([setup, repair])
  })
})
