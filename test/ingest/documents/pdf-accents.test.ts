import { expect, it } from 'vitest'
import { readPdf } from '../../../src/ingest/documents/pdf/read-pdf.ts'
import { drawnPdf } from './support/drawn-pdf.ts'

async function read(drawing: string): Promise<string> {
  const document = await readPdf(drawnPdf(`BT /F1 10 Tf 72 700 Td ${drawing} ET`, 'hand'))
  return 'text' in document ? document.text.trim() : document.reason
}

/** Accents in the standard encoding of PDF: each is 333 thousandths of the font size wide. */
const [GRAVE, ACUTE, DIERESIS] = ['\\301', '\\302', '\\310']

it.each([
  ['in a word', `[(Sie h${DIERESIS}) 333 (oren den Ton.)] TJ`, 'Sie hören den Ton.'],
  ['twice', `[(d${ACUTE}) 333 (ej) -20 (${GRAVE}) 333 (a vu)] TJ`, 'déjà vu'],
  ['at the start of a word', `[(Sie ${DIERESIS}) 400 (uben.)] TJ`, 'Sie üben.'],
  [
    'above a capital letter, higher than the line',
    `(Die ) Tj 22 2 Td (${DIERESIS}) Tj -2 -2 Td (Ubung endet.) Tj`,
    'Die Übung endet.',
  ],
])('an accent that is drawn above a letter is a part of it: %s', async (_, drawing, text) => {
  expect(await read(drawing)).toBe(text)
})

it.each([
  ['beside a letter', `(Press ${ACUTE}a twice.) Tj`, 'Press ´a twice.'],
  ['above a sign that has none', `[(Press ${ACUTE}) 333 (x twice.)] TJ`, 'Press ´x twice.'],
])('a sign of an accent stays %s', async (_, drawing, text) => {
  expect(await read(drawing)).toBe(text)
})
