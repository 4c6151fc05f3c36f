import { rememberedByObject } from '../../../text/bounded-cache.ts'
import { type HtmlElement, isElement, isHeading } from './element.ts'
import { lettersOf } from './letters.ts'

/**
 * Whether a list is the frame of sections, as in pages of javadoc: it has no numbers, and each item with a text begins with a heading. What is in an
 * item of a list opens no section.
 */
export const isListOfSections: (node: HtmlElement) => boolean = rememberedByObject(node => {
  if (node.nodeName !== 'UL') return false
  const items = Array.from(node.childNodes).filter(child => isElement(child) && lettersOf(child).all > 0)
  return items.length > 0 && items.every(beginsWithHeading)
})

/** Whether the first text of an element is in a heading. */
function beginsWithHeading(node: HtmlElement): boolean {
  let at: HtmlElement | undefined = node
  while (at && !isHeading(at)) at = Array.from(at.childNodes ?? []).find(child => lettersOf(child).all > 0)
  return at !== undefined
}
