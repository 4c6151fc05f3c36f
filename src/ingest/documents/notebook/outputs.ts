import { stripVTControlCharacters } from 'node:util'
import { prefixOf } from '../../../core/prefix.ts'
import { enclosed } from '../enclosed.ts'
import { fencedCode } from '../markdown.ts'
import { type Fields, fieldsOf, textOf } from './fields.ts'

/** What is kept of the outputs of one cell: so many lines, and so many UTF-16 code units. */
const MOST_LINES = 30
const MOST_LENGTH = 2_000
/** What Python prints of an object that has no text: `<AsyncResult: scatter>`, or `[<matplotlib.lines.Line2D at 0x7f3a>]`. */
const NO_TEXT = /^<[^\n]*>$|\bat 0x[0-9a-f]+>/i
/** What is shown in place of the plain text. */
const SHOWN_INSTEAD = /^(?:text\/markdown$|image\/|application\/vnd\.jupyter\.widget)/

/** The outputs of a code cell as Markdown; '' when none of them is text. Pictures, HTML, widgets and what a program writes to stderr are left out. */
export function outputsOf(outputs: readonly unknown[]): string {
  const all = outputs.map(fieldsOf)
  const printed = shown(printedBy(all))
  const markdown = all.map(output => textOf(dataOf(output)['text/markdown']).trim()).filter(text => text !== '')
  return [
    ...(printed === '' ? [] : [`Output:\n\n${fencedCode(bounded(printed))}`]),
    ...markdown.map(text => enclosed(bounded(text), { keepsHeadings: false })),
  ].join('\n\n')
}

/** What outputs print, each from a new line; but a stream may be in several outputs, which go on where the one before ended. */
function printedBy(outputs: readonly Fields[]): string {
  let printed = ''
  for (const [at, output] of outputs.entries()) {
    const goesOn = output.output_type === 'stream' && outputs[at - 1]?.output_type === 'stream'
    const text = plainText(output)
    if (text !== '') printed += printed === '' || goesOn || printed.endsWith('\n') ? text : `\n${text}`
  }
  return printed
}

/** The plain text of an output; '' when there is none, or when a picture, a widget or Markdown is shown instead. */
function plainText(output: Fields): string {
  switch (output.output_type) {
    case 'stream':
      // `stream` in nbformat 3.
      return (output.name ?? output.stream) === 'stderr' ? '' : textOf(output.text)
    case 'error':
    case 'pyerr':
      return [textOf(output.ename), textOf(output.evalue)].filter(text => text !== '').join(': ')
    default: {
      const data = dataOf(output)
      const text = textOf(data['text/plain'])
      return NO_TEXT.test(text.trim()) || Object.keys(data).some(type => SHOWN_INSTEAD.test(type)) ? '' : text
    }
  }
}

/** The names that nbformat 3 gives to MIME types. */
const TYPES_BEFORE = { text: 'text/plain', png: 'image/png', jpeg: 'image/jpeg', svg: 'image/svg+xml' }

/** The data of an output by MIME type. */
function dataOf(output: Fields): Fields {
  if (output.data !== undefined) return fieldsOf(output.data)
  const known = Object.entries(TYPES_BEFORE).filter(([name]) => name in output)
  return Object.fromEntries(known.map(([name, type]) => [type, output[name]]))
}

/** A text as a terminal shows it: without colours, and of a line that was written over, such as a progress bar, the last writing. */
function shown(text: string): string {
  return stripVTControlCharacters(text).split('\n').map(lastWriting).join('\n').replace(/^\n+/, '').trimEnd()
}

function lastWriting(line: string): string {
  const text = line.trimEnd()
  return text.slice(text.lastIndexOf('\r') + 1)
}

function bounded(text: string): string {
  const lines = text.split('\n')
  const start = prefixOf(lines.slice(0, MOST_LINES).join('\n'), MOST_LENGTH)
  return start.length === text.length ? text : `${start}\n…`
}
