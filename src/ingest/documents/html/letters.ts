import { rememberedByObject } from '../../../text/bounded-cache.ts'
import { type HtmlElement, nameOfPicture } from './element.ts'

interface Letters {
  all: number
  linked: number
  /** Those of the names of pictures, which become text as well, and those in links. */
  ofPictures: number
  ofLinkedPictures: number
}

/** Letters and digits of an element, and those in its links. */
export const lettersOf: (node: HtmlElement) => Letters = rememberedByObject(node => {
  const letters = { all: 0, linked: 0, ofPictures: 0, ofLinkedPictures: 0 }
  if (node.nodeName === '#text') letters.all = lettersIn(node.textContent)
  if (node.nodeName === 'IMG') letters.ofPictures = lettersIn(nameOfPicture(node))
  for (const child of Array.from(node.childNodes ?? []).map(lettersOf)) {
    letters.all += child.all
    letters.linked += child.linked
    letters.ofPictures += child.ofPictures
    letters.ofLinkedPictures += child.ofLinkedPictures
  }
  if (node.nodeName === 'A') {
    letters.linked = letters.all
    letters.ofLinkedPictures = letters.ofPictures
  }
  return letters
})

function lettersIn(text: string | null): number {
  return (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '').length
}
