import { expect, it } from 'vitest'
import { readPdf } from '../../../src/ingest/documents/pdf/read-pdf.ts'
import { drawnPdf } from './support/drawn-pdf.ts'

async function read(lines: readonly string[], addresses: readonly string[]): Promise<string> {
  const shown = lines.map(line => `(${line}) Tj T*`).join(' ')
  const document = await readPdf(drawnPdf(`BT /F1 10 Tf 12 TL 72 700 Td ${shown} ET`, 'hand', addresses))
  return 'text' in document ? document.text.trim() : document.reason
}

const ADDRESS = 'https://www.harbour-office.example/tide/tables.html'

it.each<[string, lines: string[], text: string]>([
  ['in its name', ['the list https://www.harbour-office.', 'example/tide/tables.html, each day'], ADDRESS],
  ['behind a slash', ['the list https://www.harbour-office.example/', 'tide/tables.html, each day'], ADDRESS],
  ['at its own hyphen', ['the list https://www.harbour-', 'office.example/tide/tables.html, each day'], ADDRESS],
  ['with another hyphen', ['list https://www.harbour-office.example/-', 'tide/tables.html, each day'], ADDRESS],
  ['twice', ['the list https://www.harbour-office.', 'example/tide/', 'tables.html, each day'], ADDRESS],
  ['without its scheme', ['the list www.harbour-office.example/tide/', 'tables.html, each day'], ADDRESS.slice(8)],
])('an address of a link that lines part becomes whole: %s', async (_, lines, address) => {
  const [first = '', ...rest] = lines
  const text = await read([`Read ${first}`, ...rest, 'at noon.'], [ADDRESS])
  expect(text).toMatch(/^Read (?:the )?list /)
  expect(text).toContain(` ${address}, each day at noon.`)
})

it('the words behind an address keep their space', async () => {
  const lines = ['The keeper writes to https://www.harbour-office.example/tide/', 'tables.html of another office.']
  expect(await read(lines, ['https://www.harbour-office.example/tide/'])).toBe(lines.join(' '))
  expect(await read(lines, [])).toBe(lines.join(' '))
})
