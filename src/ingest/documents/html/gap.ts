import { type HtmlElement, isElement, isInLine } from './element.ts'
import { isLeftOut } from './left-out.ts'

const ENDS_WORD = /\S$/u
/** Closing signs belong to the word before them. */
const BEGINS_WORD = /^[^\s\p{Pe}\p{Pf}.,:;!?]/u

/**
 * What stands between two words in the place of an element without text: a space. White space around a block is collapsed before the block is left out,
 * and a button or a picture parts words without any. The last of several such elements writes the space.
 */
export function gapAt({ previousSibling, nextSibling: next }: HtmlElement): string {
  if (next === null || isEmpty(next) || !isInLine(next) || !BEGINS_WORD.test(next.textContent ?? '')) return ''
  let before = previousSibling
  while (before !== null && isEmpty(before)) before = before.previousSibling
  return before !== null && isInLine(before) && ENDS_WORD.test(before.textContent ?? '') ? ' ' : ''
}

function isEmpty(node: HtmlElement): boolean {
  return isElement(node) && (node.nodeName === 'IMG' || isLeftOut(node))
}
