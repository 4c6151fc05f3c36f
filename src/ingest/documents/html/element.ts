/** What is used of an element of the DOM: the types of browsers are not part of this program. */
export interface HtmlElement {
  readonly nodeName: string
  readonly parentNode: HtmlElement | null
  readonly childNodes: ArrayLike<HtmlElement>
  readonly textContent: string | null
  readonly ownerDocument: HtmlDocument
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  getElementsByTagName(name: string): { readonly length: number }
  querySelector(selector: string): HtmlElement | null | undefined
  compareDocumentPosition(other: HtmlElement): number
}

export type HtmlDocument = Pick<HtmlElement, 'querySelector'>

/** The classes of an element, in lower case: generators of one family differ in case. */
export function classesOf(node: HtmlElement): string[] {
  return (node.getAttribute('class') ?? '').toLowerCase().split(/\s+/)
}
