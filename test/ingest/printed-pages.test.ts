import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDocuments } from '../../src/ingest/read-documents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder('stowage-pages')

async function textOf(text: string): Promise<string> {
  const file = join(folder, 'memo.txt')
  await writeFile(file, text)
  for await (const document of (await openDocuments(file)).documents) if ('text' in document) return document.text
  return ''
}

const PAGES = [
  '1.  Locks\n\n   A lock lifts a boat when the lower gate is',
  '   shut.  It needs time.',
  '2.  Gates\n\n   They close at noon.',
]
const memo = (feed: string) =>
  PAGES.map((text, at) => {
    const head = at === 0 ? '' : 'RFC 9871          Locks          May 2023\n\n'
    return `${head}${text}\n\n\nLindahl          Standards Track          [Page ${at + 1}]\n`
  }).join(feed)

it.each([
  ['form feeds', '\f'],
  ['blank lines alone', '\n'],
])(
  'leaves out the lines at the heads and feet of pages with %s, and joins the sentence between them',
  async (_, feed) => {
    expect((await textOf(memo(feed))).trim()).toBe(
      '1.  Locks\n\n   A lock lifts a boat when the lower gate is\n   shut.  It needs time.\n\n2.  Gates\n\n   They close at noon.',
    )
  },
)

it('keeps lines at page heads that say something else on each page, with numbers that do not count pages', async () => {
  const news = ['1.34', '1.33', '1.30', '1.29'].map(
    version => `version ${version} - Zoe Reed\n\n* The gate ${version} is new.`,
  )
  expect(await textOf(news.join('\n\f\n'))).toBe(news.join('\n\f\n'))
})

it('keeps text of two pages, and text without pages', async () => {
  const two = 'Head\n\nOne.\n\f\nHead\n\nTwo.'
  expect(await textOf(two)).toBe(two)
  expect(await textOf('Head\n\nSee [Page 3] there.')).toBe('Head\n\nSee [Page 3] there.')
})

const sections = (head: string, foot: string) =>
  `${head}\n\nNAME\n       gate - opens and shuts\n\nOPTIONS\n       --shut Shuts it.\n\nSEE ALSO\n       lock(1)\n\n${foot}\n`

it.each([
  ['GATE(1)              User Commands              GATE(1)', 'harbour 2.1          2024-05-01           GATE(1)'],
  ['HARBOUR.GATE(5)harbour.gateHARBOUR.GATE(5)', '                                    HARBOUR.GATE(5)'],
  ['GATE(1)     BSD General Commands Manual     GATE(1)', 'BSD               May 1, 2024               BSD'],
  ['Gate(3tcl)      Harbour Library      Gate(3tcl)', 'Harbour         8.1          Gate(3tcl)'],
])('leaves out the lines at the head and foot of a page of a manual: %s', async (head, foot) => {
  expect((await textOf(sections(head, foot))).trim()).toBe(sections('', '').trim())
})

it('keeps the last line of a page of a manual that is text, and first lines of other texts', async () => {
  const head = 'GATE(1)              User Commands              GATE(1)'
  for (const last of ['       It shuts.', '       sluice(1), and what is said of GATE(1)'])
    expect(await textOf(sections(head, last))).toContain(`\n${last}`)
  const other = `${head}\n\nThis page tells how to open it.\n\nGATE(1)\n`
  expect(await textOf(other)).toBe(other)
})
