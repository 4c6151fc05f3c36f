/** Converts a PDF that takes minutes. It sends a message when the conversion has surely begun. */
import { createConverter } from '../../../../src/ingest/documents/converter.ts'
import { packedPdf } from './files.ts'

const converter = createConverter()
await converter.convert('html', Buffer.from('<p>It rises.</p>'))
const endless = converter.convert('pdf', packedPdf(Buffer.from('BT /F1 9 Tf (a) Tj ET\n'.repeat(2_000_000))))
setTimeout(() => process.send?.('converting'), 1_500)
await endless
