import { parentPort } from 'node:worker_threads'
import { type Converted, tooLarge } from './converted.ts'

export type ConvertedFormat = 'pdf' | 'html' | 'docx' | 'csv' | 'tsv' | 'notebook' | 'asciidoc'

export interface ConvertJob {
  format: ConvertedFormat
  bytes: Uint8Array
}

type Reader = (bytes: Uint8Array) => Converted | Promise<Converted>

/** How each format is read. Its library is loaded at the first file that needs it. */
const READERS: Readonly<Record<ConvertedFormat, () => Promise<Reader>>> = {
  pdf: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  html: async () => (await import('./html/read-html.ts')).readHtml,
  docx: async () => (await import('./read-docx.ts')).readDocx,
  csv: async () => (await import('./delimited/read-delimited.ts')).readCsv,
  tsv: async () => (await import('./delimited/read-delimited.ts')).readTsv,
  notebook: async () => (await import('./notebook/read-notebook.ts')).readNotebook,
  asciidoc: async () => (await import('./read-asciidoc.ts')).readAsciidoc,
}

parentPort?.on('message', async (job: ConvertJob) => parentPort?.postMessage(await convert(job)))

async function convert({ format, bytes }: ConvertJob): Promise<Converted> {
  try {
    const read = await READERS[format]()
    return await read(bytes)
  } catch (error) {
    if (error instanceof RangeError) return tooLarge('is too large or nested too deeply')
    return { fault: 'damaged', reason: `is damaged: ${(error as Error).message}` }
  }
}
