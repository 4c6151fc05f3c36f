import mammoth from 'mammoth'
import { type Converted, tooLarge } from './converted.ts'
import { htmlToMarkdown } from './html/read-html.ts'
import { CODE_STYLES, markCode } from './word-code.ts'

/** Unpacked bytes of the XML of a file, at most. Its objects take about twenty times as much of the heap. */
const MOST_XML = 64 * 2 ** 20
/** The style of a title becomes a heading of its own; pandoc and Word write it so. */
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh", ...CODE_STYLES]
const DIRECTORY_ENTRY = 0x02014b50
const DIRECTORY_END = 0x06054b50

/** Reads a Word document as markdown. Images, comments and macros are left out. */
export async function readDocx(bytes: Uint8Array): Promise<Converted> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.subarray(0, 8).toString('hex') === 'd0cf11e0a1b11ae1')
    return { fault: 'encrypted', reason: 'is encrypted, or a document of an old Word version' }
  const xml = unpackedXml(buffer)
  if (xml === null) return { fault: 'damaged', reason: 'is not a Word document, although its name says so' }
  if (xml > MOST_XML) return tooLarge(`has more than ${MOST_XML / 2 ** 20} MiB of XML when it is unpacked`)
  const { value } = await mammoth.convertToHtml(
    { buffer },
    {
      styleMap: STYLES,
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      transformDocument: markCode,
    },
  )
  return htmlToMarkdown(value)
}

/** Sum of the sizes of XML that the central directory of a ZIP file states (APPNOTE 4.3.12); null when it has none. */
function unpackedXml(buffer: Buffer): number | null {
  const end = buffer.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end === -1 || end + 22 > buffer.length || buffer.readUInt32LE(end) !== DIRECTORY_END) return null
  let at = buffer.readUInt32LE(end + 16)
  let sum = 0
  while (at + 46 <= buffer.length && buffer.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const nameEnd = at + 46 + buffer.readUInt16LE(at + 28)
    // Pictures are not unpacked.
    if (/\.(?:xml|rels)$/i.test(buffer.toString('latin1', at + 46, nameEnd))) sum += buffer.readUInt32LE(at + 24)
    at = nameEnd + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32)
  }
  return sum
}
