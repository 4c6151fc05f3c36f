import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { loaderArguments } from '../../../src/core/work/worker-module.ts'
import {
  CONVERSION_LIMITS,
  type ConversionLimits,
  createConverter,
  type DocumentConverter,
} from '../../../src/ingest/documents/converter.ts'
import { longPdf, packedPdf, zipWith } from './support/files.ts'

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

describe('a process that converts documents', () => {
  it('ends a file that takes too long', async () => {
    expect(await converterWith({ timeMs: 1 }).convert('pdf', longPdf(200))).toMatchObject({ fault: 'too slow' })
  })

  it('ends a file that lets the memory of the process grow too far', async () => {
    expect(await converterWith({ growthBytes: 1 }).convert('pdf', longPdf(1_000))).toMatchObject({ fault: 'too large' })
  })

  it('dies of a file that needs more heap than it may have, and reads the next one afterwards', async () => {
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

  it('outlives a small PDF with a text of 300 MB, which ends the process that reads it', async () => {
    const converter = converterWith()
    const content = Buffer.concat([
      Buffer.from('BT /F1 11 Tf ('),
      Buffer.alloc(300 * MEBIBYTE, 'a'),
      Buffer.from(') Tj ET'),
    ])
    expect(await converter.convert('pdf', packedPdf(content))).toMatchObject({ fault: 'too large' })
    expect(await converter.convert('html', small)).toMatchObject(read)
  })

  it('refuses a Word file whose XML the heap could not hold', async () => {
    const size = 80 * MEBIBYTE
    const packed = deflateRawSync(Buffer.alloc(size, '<w:p/>'))
    expect(await converterWith().convert('docx', zipWith('word/document.xml', packed, size))).toEqual({
      fault: 'too large',
      reason: 'has more than 64 MiB of XML when it is unpacked',
    })
  })

  it('ends with its parent, also in the middle of a file', async () => {
    const script = new URL('./support/endless-conversion.ts', import.meta.url)
    const parent = fork(fileURLToPath(script), { execArgv: loaderArguments(script) })
    await once(parent, 'message')
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(parent.pid)])
    const child = Number(stdout.trim().split(/\s+/)[0])
    expect(isRunning(child)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isRunning(child), { timeout: 5_000 }).toBe(false)
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

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
