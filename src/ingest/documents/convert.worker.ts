import type { ConversionFault, ConvertedDocument } from './converted.ts'

export type BinaryFormat = 'pdf' | 'html' | 'docx'

export interface ConvertJob {
  format: BinaryFormat
  bytes: Uint8Array
}

/** Converts one file. The library of its format is loaded at the first file that needs it. */
export default async function convert({ format, bytes }: ConvertJob): Promise<ConvertedDocument | ConversionFault> {
  try {
    if (format === 'pdf') return await (await import('./pdf/read-pdf.ts')).readPdf(bytes)
    if (format === 'docx') return await (await import('./read-docx.ts')).readDocx(bytes)
    return (await import('./html/read-html.ts')).readHtml(bytes)
  } catch (error) {
    if (error instanceof RangeError) return { fault: 'too large', reason: 'is too large or nested too deeply' }
    return { fault: 'damaged', reason: `is damaged: ${(error as Error).message}` }
  }
}
