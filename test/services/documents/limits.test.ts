import { deflateRawSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import {
  CONVERSION_LIMITS,
  type ConversionLimits,
  createConverter,
  type DocumentConverter,
} from '../../../src/ingest/documents/converter.ts'
import { longPdf, zipWith } from './support/files.ts'

const MEBIBYTE = 2 ** 20
const open: DocumentConverter[] = []
afterEach(async () => {
  for (const converter of open.splice(0)) await converter.close()
})

function converterWith(limits: Partial<ConversionLimits> = {}): DocumentConverter {
  const converter = createConverter({ ...CONVERSION_LIMITS, ...limits })
  open.push(converter)
  return converter
}

const small = Buffer.from('<h1>Tide</h1><p>It rises.</p>')
const read = { title: 'Tide', text: '# Tide\n\nIt rises.\n' }

describe('a worker that converts documents', () => {
  it('ends a file that takes too long', async () => {
    expect(await converterWith({ timeMs: 1 }).convert('pdf', longPdf(200))).toMatchObject({ fault: 'too slow' })
  })

  it('ends a file that lets the memory of the process grow too far', async () => {
    expect(await converterWith({ growthBytes: 1 }).convert('pdf', longPdf(1_000))).toMatchObject({ fault: 'too large' })
  })

  it('dies of a file that needs more heap than it may have, and reads the next one in a new thread', async () => {
    const converter = converterWith({ heapMib: 96 })
    const large = Buffer.from('<p>word <b>more</b></p>'.repeat(1_000_000))
    expect(await converter.convert('html', large)).toMatchObject({ fault: 'too large' })
    expect(await converter.convert('html', small)).toMatchObject(read)
  })

  it('refuses a zip bomb, also one that states a small size', async () => {
    const size = 600 * MEBIBYTE
    const packed = deflateRawSync(Buffer.alloc(size, 'a'))
    const converter = converterWith({ heapMib: 256, growthBytes: 512 * MEBIBYTE })
    expect(await converter.convert('docx', zipWith('word/document.xml', packed, size))).toMatchObject({
      fault: 'too large',
    })
    const lying = await converter.convert('docx', zipWith('word/document.xml', packed, 1_000))
    expect(lying).toMatchObject({ fault: expect.stringMatching(/too large|damaged/) })
    expect(await converter.convert('html', small)).toMatchObject(read)
  })

  it('reads a PDF of 1,000 pages, each with its place, without the footers', async () => {
    const document = await converterWith().convert('pdf', longPdf(1_000))
    if ('fault' in document) throw new Error(document.reason)
    expect(document.pages).toHaveLength(1_000)
    for (const page of [1, 500, 1_000]) {
      const at = document.text.indexOf(`Reading ${page} was taken`)
      expect(document.pages?.findLastIndex(start => start <= at)).toBe(page - 1)
    }
    expect(document.text).not.toContain('Harbour book')
  })
})
