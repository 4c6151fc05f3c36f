import type { HtmlElement } from './element.ts'

interface Letters {
  all: number
  linked: number
}

/** Elements that are nested deeply are counted once. */
const counted = new WeakMap<HtmlElement, Letters>()

/** Letters and digits of an element, and those in its links. */
export function lettersOf(node: HtmlElement): Letters {
  const known = counted.get(node)
  if (known) return known
  const letters = { all: 0, linked: 0 }
  if (node.nodeName === '#text') letters.all = (node.textContent ?? '').replace(/[^\p{L}\p{N}]+/gu, '').length
  for (const child of Array.from(node.childNodes ?? []).map(lettersOf)) {
    letters.all += child.all
    letters.linked += child.linked
  }
  if (node.nodeName === 'A') letters.linked = letters.all
  counted.set(node, letters)
  return letters
}
