import { type HtmlElement, oncePerNode } from './element.ts'

interface Letters {
  all: number
  linked: number
}

/** Letters and digits of an element, and those in its links. */
export const lettersOf: (node: HtmlElement) => Letters = oncePerNode(node => {
  const letters = { all: 0, linked: 0 }
  if (node.nodeName === '#text') letters.all = (node.textContent ?? '').replace(/[^\p{L}\p{N}]+/gu, '').length
  for (const child of Array.from(node.childNodes ?? []).map(lettersOf)) {
    letters.all += child.all
    letters.linked += child.linked
  }
  if (node.nodeName === 'A') letters.linked = letters.all
  return letters
})
