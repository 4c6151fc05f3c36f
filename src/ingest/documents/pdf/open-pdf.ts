import type { getDocumentProxy } from 'unpdf'
import type { ConversionFault } from '../converted.ts'

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
export type PdfPage = Awaited<ReturnType<Pdf['getPage']>>

/** A PDF begins with this, perhaps after other bytes. */
const SIGNATURE = '%PDF-'
const SIGNATURE_WITHIN = 1_024

/** Opens a PDF, so that nothing in it is run and nothing is fetched. The caller ends its `loadingTask`. */
export async function openPdf(bytes: Uint8Array): Promise<Pdf | ConversionFault> {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SIGNATURE_WITHIN)).includes(SIGNATURE))
    return { fault: 'not a PDF', reason: 'is not a PDF, although its name says so' }
  completeArrayBuffer()
  const { getDocumentProxy } = await import('unpdf')
  // pdf.js takes the buffer over, so it gets its own.
  return await getDocumentProxy(Uint8Array.from(bytes), {
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    maxImageSize: 1,
    verbosity: 0,
  }).catch((error: Error): ConversionFault => {
    if (error.name === 'PasswordException') return { fault: 'encrypted', reason: 'is encrypted: it needs a password' }
    return { fault: 'damaged', reason: `is damaged: ${error.message}` }
  })
}

/** pdf.js asks for a method of ArrayBuffer that Node 20 does not have; without it, fonts have no names. */
function completeArrayBuffer(): void {
  const prototype = ArrayBuffer.prototype as ArrayBuffer & { transferToFixedLength?: (length?: number) => ArrayBuffer }
  prototype.transferToFixedLength ??= function (this: ArrayBuffer, length = this.byteLength) {
    return this.slice(0, length)
  }
}
