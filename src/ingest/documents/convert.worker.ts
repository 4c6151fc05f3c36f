import { parentPort } from 'node:worker_threads'
import { type Converted, tooLarge } from './converted.ts'

export type BinaryFormat = 'pdf' | 'html' | 'docx'

export interface ConvertJob {
  format: BinaryFormat
  bytes: Uint8Array
}

parentPort?.on('message', async (job: ConvertJob) => parentPort?.postMessage(await convert(job)))

/** Converts one file. The library of its format is loaded at the first file that needs it. */
async function convert({ format, bytes }: ConvertJob): Promise<Converted> {
  try {
    if (format === 'pdf') return await (await import('./pdf/read-pdf.ts')).readPdf(bytes)
    if (format === 'docx') return await (await import('./read-docx.ts')).readDocx(bytes)
    return (await import('./html/read-html.ts')).readHtml(bytes)
  } catch (error) {
    if (error instanceof RangeError) return tooLarge('is too large or nested too deeply')
    return { fault: 'damaged', reason: `is damaged: ${(error as Error).message}` }
  }
}
