import { columnsOf } from '../../../text/columns.ts'
import { closesFence, fenceAround, openingFenceOfText } from '../../../text/fence.ts'

/** A directive or a target: what shows that a text is reStructuredText. */
const MARKUP = /^[ \t]*\.\. (?:_[^\n:]{1,200}:|[a-z][\w:-]{0,40}::)/mu
/** A directive whose content is code. Groups: its language. */
const DIRECTIVE = /^\s*\.\. (?:code-block|code|sourcecode|parsed-literal) ?::[ \t]*([\w+#.-]*)$/u
const OPTION = /^\s+:([\w-]+):[ \t]*(.*)$/u
/** A line that announces a literal block. */
const ANNOUNCEMENT = /^(?!\s*\.\.\s).*::$/u
/** A comment, or what has two full stops before it and is none. Groups: what stands behind them. */
const MARKED = /^\s*\.\.(?:\s+(.*))?$/u
/** Footnotes, targets, substitutions and directives. */
const NO_COMMENT = /^(?:[[|_]|[A-Za-z][\w.+:-]{0,60} ?::(?:\s|$))/u
/** Directives that show nothing, or the names of other pages. */
const HIDDEN =
  /^(?:toctree|contents|index|include|currentmodule|highlight|default-role|meta|sectionauthor|codeauthor|testsetup|testcleanup|todo) ?::/u
/** An item of a numbered list. Groups: its number, or the sign of the next one. */
const NUMBERED = /^\s*(#|\d{1,4})\.\s/u
/** The beginning of an item, and its indentation: literal blocks in it are deeper than its text. */
const ITEM = /^\s*(?:(?:[-*+•]|#\.|\(?\w{1,3}[.)])\s+)?/u

/** A block of code that begins below a line. */
interface Block {
  /** Its lines, without their common indentation. */
  code: string[]
  /** Place of the first line behind it. */
  end: number
}

/**
 * A text of reStructuredText as its readers see it, with code in fences of Markdown: the content of `.. code-block::` and its like, with its caption above it, and what is indented below a line that ends with `::`.
 * Items that number themselves ("#.") have their numbers.
 * Comments, such as a licence or notes of the authors, and directives that show nothing or lists of pages are left out.
 * @param isRestructured whether it is known to be reStructuredText. Otherwise a text without directives and targets stays as it is: in AsciiDoc, `::` ends a term
 */
export function shownRestructured(text: string, isRestructured = false): string {
  if (!isRestructured && !MARKUP.test(text)) return text
  const lines = text.split('\n').map(line => line.trimEnd())
  const written: (string | string[])[] = []
  let fence: string | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null
      written.push(line)
      continue
    }
    const block = directiveAt(at, lines) ?? hiddenAt(at, lines) ?? literalAt(at, lines)
    if (block === null) {
      fence = isUnderTitle(lines, at) ? null : openingFenceOfText(line)
      written.push(line)
      continue
    }
    written.push(block.written)
    at = block.end - 1
  }
  return withNumbers(written.flat()).join('\n')
}

/** Lines in which the items of lists that begin with "#." have numbers, which go on from those of the items before. */
function withNumbers(lines: readonly string[]): string[] {
  const last = new Map<number, number>()
  let fence: string | null = null
  return lines.map((line, at) => {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null
      return line
    }
    fence = isUnderTitle(lines, at) ? null : openingFenceOfText(line)
    if (line === '' || fence !== null) return line
    const column = columnsOf(line)
    const [, mark] = NUMBERED.exec(line) ?? []
    for (const other of [...last.keys()]) if (other > column || (other === column && !mark)) last.delete(other)
    if (mark === undefined) return line
    const number = mark === '#' ? (last.get(column) ?? 0) + 1 : Number(mark)
    last.set(column, number)
    return mark === '#' ? line.replace('#', `${number}`) : line
  })
}

/** Tildes below a line that is not blank underline a title. */
const isUnderTitle = (lines: readonly string[], at: number): boolean => at > 0 && lines[at - 1] !== ''

interface Written {
  written: string[]
  /** Place of the first line that is not in it. */
  end: number
}

function directiveAt(at: number, lines: readonly string[]): Written | null {
  const line = lines[at] as string
  const language = DIRECTIVE.exec(line)?.[1]
  if (language === undefined) return null
  const column = columnsOf(line)
  let next = at + 1
  let caption: string | undefined
  for (let option = OPTION.exec(lines[next] ?? ''); option !== null; option = OPTION.exec(lines[++next] ?? ''))
    if (option[1] === 'caption') caption = option[2]
  const block = blockBelow(next, lines, column)
  if (block === null) return null
  const above = caption ? [`${' '.repeat(column)}${caption}`, ''] : []
  return { written: [...above, ...fenced(block.code, column, language)], end: block.end }
}

function hiddenAt(at: number, lines: readonly string[]): Written | null {
  const line = lines[at] as string
  const [marked, said = ''] = MARKED.exec(line) ?? []
  if (marked === undefined || (NO_COMMENT.test(said) && !HIDDEN.test(said))) return null
  // Two full stops above a blank line are a comment of their own, which ends an indented text.
  const isAlone = said === '' && (lines[at + 1] ?? '') === ''
  const end = isAlone ? at + 1 : (blockBelow(at + 1, lines, columnsOf(line))?.end ?? at + 1)
  const isBetweenBlank = (lines[at - 1] ?? '') === '' && lines[end] === ''
  return { written: [], end: isBetweenBlank ? end + 1 : end }
}

function literalAt(at: number, lines: readonly string[]): Written | null {
  const line = lines[at] as string
  if (!ANNOUNCEMENT.test(line) || lines[at + 1] !== '') return null
  const item = ITEM.exec(line)?.[0].length ?? 0
  const column = Math.max(item, columnsOf(line))
  const block = blockBelow(at + 1, lines, column)
  if (block === null) return null
  const said = line.slice(0, -2).trimEnd()
  const announced = said === '' ? [] : [said.length < line.length - 2 ? said : `${said}:`, '']
  return { written: [...announced, ...fenced(block.code, column, '')], end: block.end }
}

/** The lines that are indented deeper than a column; null without any. */
function blockBelow(start: number, lines: readonly string[], column: number): Block | null {
  let end = start
  while (end < lines.length && (lines[end] === '' || columnsOf(lines[end] as string) > column)) end++
  while (end > start && lines[end - 1] === '') end--
  let first = start
  while (first < end && lines[first] === '') first++
  if (first === end) return null
  const code = lines.slice(first, end)
  const indentations = code.filter(line => line !== '').map(line => line.search(/\S/u))
  const indentation = indentations.reduce((least, own) => Math.min(least, own))
  return { code: code.map(line => line.slice(indentation)), end }
}

function fenced(code: readonly string[], column: number, language: string): string[] {
  const indentation = ' '.repeat(column)
  const fence = fenceAround(code.join('\n'))
  return [`${fence}${language}`, ...code, fence].map(line => (line === '' ? '' : `${indentation}${line}`))
}
