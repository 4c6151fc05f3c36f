import { expect, it } from 'vitest'
import { readPdf } from '../../../src/ingest/documents/pdf/read-pdf.ts'
import { drawnPdf } from './support/drawn-pdf.ts'

/** Two lines of text at 72 points from the left, with a square in front of the second one. */
function page(square: { left?: number; size?: number; lift?: number } = {}): string {
  const { left = 61, size = 3, lift = 2 } = square
  const text = 'BT /F1 10 Tf 1 0 0 1 40 700 Tm (Bring along) Tj 1 0 0 1 72 680 Tm (a lamp) Tj ET'
  return `${text} ${left} ${680 + lift} ${size} ${size} re f`
}

async function read(content: string, producer = 'Skia/PDF m120'): Promise<string> {
  const document = await readPdf(drawnPdf(content, producer))
  return 'text' in document ? document.text : document.reason
}

it('takes a small shape right in front of a line for the mark of an item', async () => {
  expect(await read(page())).toBe('Bring along\n\n- a lamp\n')
  expect(
    await read(
      `q 2 0 0 2 0 0 cm ${page()
        .replace(/61 682 3 3/, '30.5 341 1.5 1.5')
        .replace(/BT.*ET/, '')} Q ${page({ size: 0 })}`,
    ),
  ).toContain('- a lamp')
})

it.each([
  ['far from the text', { left: 20 }],
  ['as large as the letters', { size: 9, left: 60, lift: 0 }],
  ['below the line', { lift: -6 }],
  ['behind the beginning of the text', { left: 75 }],
])('takes no shape for a mark that is %s', async (_, square) => {
  expect(await read(page(square))).not.toContain('- a lamp')
})

it('looks for no marks where other programs write them as letters, and not in drawings', async () => {
  expect(await read(page(), 'pdfTeX-1.40')).not.toContain('- a lamp')
  const drawing = Array.from({ length: 1_001 }, (_, at) => `${200 + (at % 100)} ${100 + Math.floor(at / 100)} 1 1 re f`)
  expect(await read(`${page()} ${drawing.join(' ')}`)).not.toContain('- a lamp')
})
