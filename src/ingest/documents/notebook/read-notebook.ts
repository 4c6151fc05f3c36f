import { documentTitle } from '../../markup/document-title.ts'
import { frontMatterWarning, readFrontMatter } from '../../markup/front-matter.ts'
import { withoutInvisible } from '../../markup/invisible.ts'
import { stripMarks } from '../../markup/strip-marks.ts'
import { type Converted, warningOf } from '../converted.ts'
import { decodeText } from '../decode-text.ts'
import { enclosed } from '../enclosed.ts'
import { fencedCode } from '../markdown.ts'
import { type Fields, fieldsOf, listOf, textOf } from './fields.ts'
import { outputsOf } from './outputs.ts'

/** Lines that set up the notebook itself, and say nothing of its subject. */
const SETUP = /^%(?:matplotlib|config|load_ext|reload_ext|autoreload)\b/
const TAG = /<[^<>]*>/g
/** Pictures inside of a text. */
const DATA_ADDRESS = /\(\s*<?data:[^\s)>]*/gi

/** Reads a Jupyter notebook of nbformat 3 or 4. Nothing in it is run. */
export function readNotebook(bytes: Uint8Array): Converted {
  const decoded = decodeText(bytes)
  if ('fault' in decoded) return decoded
  let notebook: Fields
  try {
    notebook = fieldsOf(JSON.parse(decoded.text))
  } catch (error) {
    return { fault: 'damaged', reason: `is damaged: ${(error as Error).message}` }
  }
  // `worksheets` in nbformat 3.
  const sheets = notebook.cells === undefined ? listOf(notebook.worksheets) : [notebook]
  if (sheets.length === 0) return { fault: 'damaged', reason: 'is not a notebook, although its name says so' }
  const language = languageOf(notebook)
  const cells = sheets
    .flatMap(sheet => listOf(fieldsOf(sheet).cells))
    .map(fieldsOf)
    .map(cell => ({ isCode: cell.cell_type === 'code', text: withoutInvisible(cellText(cell, language)) }))
    .filter(({ text }) => text !== '')
  const whole = joined(cells)
  const frontMatter = readFrontMatter(whole)
  const text = whole.slice(frontMatter.length).trimStart()
  if (!/[\p{L}\p{N}]/u.test(text)) return { fault: 'no text', reason: 'has no text' }
  return {
    // Code may stand above the title.
    title: frontMatter.title ?? documentTitle(joined(cells.slice(cells.findIndex(({ isCode }) => !isCode))), '', false),
    ...{ text: `${text}\n`, lang: null, pages: null, headings: 'marked', frontMatter: frontMatter.fields },
    warning: warningOf([decoded.warning, frontMatterWarning(frontMatter)]),
  }
}

function joined(cells: readonly { text: string }[]): string {
  return cells.map(({ text }) => text).join('\n\n')
}

function languageOf({ metadata }: Fields): string {
  const { language_info: info, kernelspec } = fieldsOf(metadata)
  return textOf(fieldsOf(info).name) || textOf(fieldsOf(kernelspec).language)
}

function cellText(cell: Fields, language: string): string {
  const source = textOf(cell.source)
  switch (cell.cell_type) {
    case 'code':
      return codeText(cell, language)
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, Number(cell.level) || 1)))} ${source.replace(/\s+/g, ' ').trim()}`
    case 'markdown': {
      const text = enclosed(stripMarks(source.replace(DATA_ADDRESS, '(')), { keepsHeadings: true }).trim()
      // Nothing but links around pictures, such as the one that opens the notebook elsewhere.
      return /[\p{L}\p{N}]/u.test(text.replace(TAG, '')) ? text : ''
    }
    default:
      // Raw text for another format, such as LaTeX. It may be front matter.
      return enclosed(source, { keepsHeadings: true }).trim()
  }
}

/** The code and the outputs of a cell. Its source is `input` in nbformat 3, which has a language in each cell. */
function codeText(cell: Fields, language: string): string {
  const code = (textOf(cell.source) || textOf(cell.input)).replace(/^\s*\n/, '').trimEnd()
  const name = (language || textOf(cell.language)).toLowerCase().replace(/[^\w+#-]/g, '')
  const isSetup = code.split('\n').every(line => line.trim() === '' || SETUP.test(line))
  return [isSetup ? '' : fencedCode(code, name), outputsOf(listOf(cell.outputs))]
    .filter(text => text !== '')
    .join('\n\n')
}
