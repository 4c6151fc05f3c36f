import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { readableName } from '../text/names/readable-name.ts'
import type { ConvertedFormat } from './documents/convert.worker.ts'
import type { DocumentConverter } from './documents/converter.ts'
import { type DecodedText, decodeText } from './documents/decode-text.ts'
import { DOCUMENT_EXTENSIONS, formatOf, isUnknownFormat } from './documents/formats.ts'
import { fencedListings } from './markup/code-blocks/asciidoc.ts'
import { shownRestructured } from './markup/code-blocks/restructured.ts'
import { documentTitle } from './markup/document-title.ts'
import { readFrontMatter } from './markup/front-matter.ts'
import { withoutInvisible } from './markup/invisible.ts'
import { withoutManualLines } from './markup/manual-lines.ts'
import { joinParted } from './markup/parted-words.ts'
import { withoutRunningLines } from './markup/running-lines.ts'
import { stripMarks } from './markup/strip-marks.ts'
import { spokenText } from './markup/subtitles.ts'
import { readTitleBlock } from './markup/title-block.ts'
import type { SkippedDocument, SourceDocument } from './source-document.ts'

/** Reads a file that is converted, such as a PDF. */
export async function convertDocument(
  file: string,
  docId: string,
  format: ConvertedFormat,
  converter: DocumentConverter,
): Promise<SourceDocument | SkippedDocument> {
  const bytes = await readBytes(file)
  if (typeof bytes === 'string') return unreadable(file, docId, bytes)
  const converted = await converter.convert(format, bytes)
  if ('fault' in converted) {
    // Reasons of libraries are whole sentences.
    const reason = converted.reason.replace(/\.$/u, '')
    return { docId, skipped: converted.fault, warning: `${file} ${reason}; it is not ingested` }
  }
  const { title, text, isPlain, lang, pages, headings, frontMatter, warning } = converted
  const faults = [
    ...(warning === null ? [] : [warning]),
    ...(headings === 'unknown' ? ['no headings were found, so its chunks have no section path'] : []),
  ]
  return {
    docId,
    title: title ?? nameOf(file),
    text: isPlain ? joinParted(withoutManualLines(text)) : text,
    place: file,
    headings,
    ...(isPlain && { isPlain }),
    ...(lang === null ? {} : { lang }),
    ...(pages === null ? {} : { pages }),
    ...(frontMatter ? { frontMatter } : {}),
    ...(faults.length === 0 ? {} : { warning: `${file}: ${faults.join('; ')}` }),
  }
}

/** Longest line of source code that people write, in UTF-16 code units. Programs that tools write into one line answer no question. */
const LONGEST_CODE_LINE = 5_000

/** Reads source code or settings as they stand; the title is the name of the file. */
export async function readCode(file: string, docId: string): Promise<SourceDocument | SkippedDocument> {
  const read = await readText(file, docId)
  if ('skipped' in read) return read
  if (formatOf(file) === 'code' && read.text.split('\n').some(line => line.length > LONGEST_CODE_LINE)) {
    const warning = `${file} has a line of more than ${LONGEST_CODE_LINE} characters, as a tool writes it; it is not ingested`
    return { docId, skipped: 'generated code', warning }
  }
  const { text, warning } = read
  const fault = warning === null ? {} : { warning: `${file} ${warning}` }
  return { docId, title: basename(file), text, place: file, isPlain: true, isCode: true, ...fault }
}

/** The bytes of a file, or why they cannot be read. */
function readBytes(file: string): Promise<Buffer | string> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
}

function unreadable(file: string, docId: string, reason: string): SkippedDocument {
  return { docId, skipped: 'unreadable', warning: `${file} cannot be read: ${reason}` }
}

async function readText(file: string, docId: string): Promise<DecodedText | SkippedDocument> {
  const bytes = await readBytes(file)
  if (typeof bytes === 'string') return unreadable(file, docId, bytes)
  const decoded = decodeText(bytes)
  if (!('fault' in decoded)) return decoded
  return { docId, skipped: decoded.fault, warning: `${file} ${decoded.reason}; it is not ingested` }
}

/** Only Markdown has a title block. */
const NO_TITLE_BLOCK = { title: null, length: 0 }

const nameOf = (file: string) => readableName(basename(file, extname(file)))

/** nroff prints a bold letter as the letter, a backspace and the letter again, and an underlined one as `_`, a backspace and the letter. */
const OVERSTRUCK = /[^\n\b][\b]/gu

/** The ends of the names of files of reStructuredText, which can have the end `.txt`, too. */
const RESTRUCTURED = /\.re?st$/iu

/** The blocks of reStructuredText first, because code in them can have lines of AsciiDoc. */
const withCodeBlocks = (text: string, file: string): string =>
  fencedListings(shownRestructured(text, RESTRUCTURED.test(file)))

/** Reads Markdown, subtitles or other text, without its front matter and the marks of documentation tools. */
export async function readDocument(file: string, docId: string): Promise<SourceDocument | SkippedDocument> {
  const read = await readText(file, docId)
  if ('skipped' in read) return read
  const whole = withoutInvisible(read.text)
  const format = formatOf(file)
  const isMarkdown = format === 'markdown'
  const frontMatter = readFrontMatter(whole)
  const matterless = whole.slice(frontMatter.length)
  const titleBlock = isMarkdown ? readTitleBlock(matterless) : NO_TITLE_BLOCK
  const rest = matterless.slice(titleBlock.length)
  const body = isMarkdown
    ? stripMarks(rest)
    : format === 'subtitles'
      ? spokenText(rest)
      : withCodeBlocks(joinParted(withoutManualLines(withoutRunningLines(rest.replace(OVERSTRUCK, '')))), file)
  const name = nameOf(file)
  const warnings = [
    ...(read.warning === null ? [] : [`${file} ${read.warning}`]),
    ...(isUnknownFormat(file) ? [`${file} is read as Markdown: stowage reads ${DOCUMENT_EXTENSIONS}`] : []),
    ...(frontMatter.fault === null ? [] : [`${file}: the front matter ${frontMatter.fault}`]),
  ]
  return {
    docId,
    title: frontMatter.title ?? titleBlock.title ?? documentTitle(body, name, !isMarkdown) ?? name,
    text: body,
    place: file,
    ...(isMarkdown ? {} : { isPlain: true }),
    ...(frontMatter.fields === null ? {} : { frontMatter: frontMatter.fields }),
    ...(warnings.length === 0 ? {} : { warning: warnings.join('; ') }),
  }
}
