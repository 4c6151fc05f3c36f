import { type HtmlElement, isElement, isInLine, nameOfPicture } from './element.ts'
import { isLeftOut } from './left-out.ts'

type Side = 'previousSibling' | 'nextSibling'

/** Opening signs belong to the word behind them. */
const ENDS_WORD = /[^\s\p{Ps}\p{Pi}]$/u
/** Closing signs belong to the word before them, and so do signs that join words: `Ctrl+`, `-only`. */
const BEGINS_WORD = /^[^\s\p{Pe}\p{Pf}.,:;!?'+-]/u

/** Elements that a browser shows as boxes in a line. */
const BOXES = new Set(['IMG', 'BUTTON', 'METER', 'PROGRESS'])
/** Elements whose text stands between signs of markdown. A space inside of the signs would take their effect. */
const SIGNED = new Set(['B', 'CODE', 'DEL', 'EM', 'I', 'S', 'STRONG', 'SUP'])

/** Whether an element parts the words around it without white space. Custom elements have a hyphen in their names, and most of them are boxes. */
export function partsWords(node: HtmlElement): boolean {
  return isElement(node) && (BOXES.has(node.nodeName) || node.nodeName.includes('-') || isLeftOut(node))
}

/**
 * The text of an element that parts words, with a space where it would touch a word. Without text it is a space between two words, as for an element that
 * is left out: white space around a block is collapsed before the block is left out. Of several such elements, each writes the space before its text, and
 * the last one the space behind them.
 */
export function parted(content: string, node: HtmlElement): string {
  const behind = beside(node, 'nextSibling')
  if (content === '') return behind === '' ? '' : gap(beside(node, 'previousSibling'), behind)
  return `${gap(beside(node, 'previousSibling'), content)}${content}${gap(content, behind)}`
}

function gap(before: string, behind: string): string {
  return ENDS_WORD.test(before) && BEGINS_WORD.test(behind) ? ' ' : ''
}

/** The text next to an element in its line, which is empty at the ends of the line, and before another element that parts words and writes the space itself. */
function beside(node: HtmlElement, side: Side): string {
  for (let at = following(node, side); at !== null; ) {
    const parts = partsWords(at)
    if (parts ? side === 'nextSibling' : !isInLine(at)) return ''
    const text = textOf(at)
    if (text !== '') return text
    at = childAt(at, side) ?? following(at, side)
  }
  return ''
}

function textOf(node: HtmlElement): string {
  const text = node.nodeName === 'IMG' ? nameOfPicture(node) : node.nodeName === '#text' ? node.textContent : ''
  return text ?? ''
}

function childAt(node: HtmlElement, side: Side): HtmlElement | null {
  if (!isElement(node) || isLeftOut(node)) return null
  const { childNodes: children } = node
  return children[side === 'nextSibling' ? 0 : children.length - 1] ?? null
}

/** What follows an element on one side, also behind the end of an element around it that is a part of the line. */
function following(node: HtmlElement, side: Side): HtmlElement | null {
  let at = node
  while (at[side] === null) {
    const { parentNode: parent } = at
    if (parent === null || SIGNED.has(parent.nodeName) || !(isInLine(parent) || partsWords(parent))) return null
    at = parent
  }
  return at[side]
}
