import { longestTicks } from '../../../text/fence.ts'
import { fencedCode } from '../markdown.ts'
import { type HtmlElement, isElement, isInLine } from './element.ts'
import { isLeftOut } from './left-out.ts'
import { lettersOf } from './letters.ts'
import { isInGrid } from './tables.ts'

/** How documentation tools name the language of code: Sphinx in an element around it, others at the element itself. */
const LANGUAGE = /(?:^|\s)(?:(?:highlight|language|lang)-(?:source-)?|brush:\s*)([a-z][\w+#-]*)/i
/** How others name it, such as Expressive Code (Starlight) and Chroma (Hugo). */
const LANGUAGE_ATTRIBUTES = ['data-language', 'data-lang']
const LANGUAGE_NAME = /^[a-z][\w+#-]*$/i
const NO_LANGUAGE = new Set(['default', 'none', 'text', 'txt', 'plaintext', 'fallback'])
const LANGUAGE_DEPTH = 4

/** Tables of Pygments and Rouge with the numbers of lines in one cell and the code in the other. */
const NUMBERED_CODE = /(?:^|\s)(?:highlighttable|rouge-table)(?:\s|$)/

/** Elements that highlighters put around each line. */
const LINES = new Set(['DIV', 'P', 'LI', 'TR'])

/** Whether an element is code in lines: preformatted, a table of code with the numbers of its lines, or a paragraph of code with line breaks. */
export function isPreformatted(node: HtmlElement): boolean {
  if (node.nodeName === 'TABLE') return NUMBERED_CODE.test(node.getAttribute('class') ?? '')
  return node.nodeName === 'PRE' || isBrokenCode(node)
}

/** Headings, terms and captions: a fenced block is none. */
const TITLE = /^(?:H[1-6]|DT|CAPTION|FIGCAPTION|SUMMARY|LEGEND)$/

/** Whether code is all of its block and has line breaks, as in the manual of Apache. */
function isBrokenCode(node: HtmlElement): boolean {
  const { parentNode: parent } = node
  if (node.nodeName !== 'CODE' || parent === null || isInLine(parent) || TITLE.test(parent.nodeName)) return false
  if (!node.querySelector('br')) return false
  const [own, { all }] = [lettersOf(node), lettersOf(parent)]
  return own.all === all && own.ofPictures === 0
}

/** The lines of such code. As in other text, white space of the page is one space; those that break no line are indentation. */
function brokenLines(node: HtmlElement): string {
  const text = (of: HtmlElement): string => {
    if (of.nodeName === 'BR') return '\n'
    if (of.nodeName === '#text') return (of.textContent ?? '').replace(/[ \t\r\n]+/gu, ' ')
    return shownChildren(of).map(text).join('')
  }
  const lines = text(node).split('\n')
  return lines.map(line => line.replace(/^ | $/gu, '').replaceAll('\u00A0', ' ')).join('\n')
}

/** A fenced block with the text of a preformatted element, without the numbers of its lines; in a cell of a table of markdown, which has no blocks, code in each line. */
export function codeOf(node: HtmlElement): string {
  // Turndown takes time with the square of a run of line breaks.
  const text = (node.nodeName === 'CODE' ? brokenLines(node) : shownText(node))
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd()
  if (text === '') return ''
  if (isInGrid(node)) return text.split('\n').map(inTicks).join('\n')
  const language = languageOf(node)
  return `\n\n${fencedCode(text, NO_LANGUAGE.has(language) ? '' : language)}\n\n`
}

/** Code in a line of text. A space that breaks no line is a space, because a shell does not know the other one. */
export function codeInLine(content: string): string {
  return inTicks(content.replace(/\s/gu, ' '))
}

function inTicks(line: string): string {
  const ticks = '`'.repeat(longestTicks(line) + 1)
  const space = ticks === '`' ? '' : ' '
  return line.trim() === '' ? '' : `${ticks}${space}${line}${space}${ticks}`
}

function shownText(node: HtmlElement): string {
  if (node.nodeName === '#text') return (node.textContent ?? '').replaceAll('\u00A0', ' ')
  if (node.nodeName === 'BR') return '\n'
  return shownChildren(node).reduce((text, child) => {
    const shown = shownText(child)
    return LINES.has(child.nodeName) ? withLineEnd(text) + withLineEnd(shown) : text + shown
  }, '')
}

/** Texts and elements, without the numbers of lines and what else a page does not show. */
function shownChildren(node: HtmlElement): HtmlElement[] {
  const children = Array.from(node.childNodes)
  return children.filter(child => child.nodeName === '#text' || (isElement(child) && !isLeftOut(child)))
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Whether an element only names the language of the code behind it, as VitePress does. */
export function isLabelOfCode(node: HtmlElement): boolean {
  const { nextSibling: next } = node
  if (next?.nodeName !== 'PRE') return false
  const label = node.textContent?.trim().toLowerCase()
  return label !== '' && label === languageOf(next)
}

/** The name of the language of code, in lower case; '' when nothing names it. */
function languageOf(node: HtmlElement): string {
  let at: HtmlElement | null = node.querySelector('code') ?? node
  for (let up = 0; up < LANGUAGE_DEPTH && at !== null && isElement(at); up++) {
    const language = namedLanguage(at)
    if (language !== undefined) return language.toLowerCase()
    at = at.parentNode
  }
  return ''
}

function namedLanguage(node: HtmlElement): string | undefined {
  const named = LANGUAGE_ATTRIBUTES.map(name => node.getAttribute(name)).find(value => LANGUAGE_NAME.test(value ?? ''))
  return named ?? LANGUAGE.exec(node.getAttribute('class') ?? '')?.[1]
}
