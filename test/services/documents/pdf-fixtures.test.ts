import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPdf } from '../../../src/ingest/documents/pdf/read-pdf.ts'
import { checkFixture, EXPECTED, PDF_FOLDER, readFixture } from '../../ingest/documents/support/pdf-fixtures.ts'

describe('readPdf on the files of many makers', () => {
  it.each(Object.entries(EXPECTED))('reads %s in order, with its headings and pages', checkFixture)

  it('has an expectation for every file', () => {
    const unread = ['img2pdf-scan.pdf', 'qpdf-encrypted.pdf', 'damaged-truncated.pdf']
    expect(readdirSync(PDF_FOLDER).sort()).toEqual([...Object.keys(EXPECTED), ...unread].sort())
  })

  it('names an encrypted and a damaged file', async () => {
    expect(await readFixture('qpdf-encrypted.pdf')).toEqual({
      fault: 'encrypted',
      reason: 'is encrypted: it needs a password',
    })
    expect(await readFixture('damaged-truncated.pdf')).toMatchObject({ fault: 'damaged' })
  })

  it('survives a file that was cut anywhere', async () => {
    const bytes = readFileSync(new URL('reportlab-list.pdf', PDF_FOLDER))
    for (let length = 0; length < bytes.length; length += 601)
      expect(await readPdf(bytes.subarray(0, length))).toSatisfy(result => 'fault' in result || result.text.length > 0)
  })
})
