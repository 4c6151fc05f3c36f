import { isCodeMonospaced, isMonospacedFont } from './monospaced.ts'

/** An element of a Word document, as mammoth reads it. */
interface WordElement {
  type: string
  children?: WordElement[]
  /** Name of the font of a run; null for that of its style. */
  font?: string | null
  styleName?: string | null
  /** What makes a paragraph an item of a list. */
  numbering?: object | null
  /** Text of a text element. */
  value?: string
}

/** Names of styles for code, by the style of pandoc that takes their place: those of Word, LibreOffice, and what people call their own. */
const STYLES = {
  'Source Code': /^(?:source ?code|code(?: ?block)?|html preformatted|preformatted(?: text)?|macro(?: text)?)$/i,
  'Verbatim Char': /^(?:verbatim char|source text|html code|(?:inline )?code(?: char)?)$/i,
}

/** What mammoth makes of the two styles. */
export const CODE_STYLES = [
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='Verbatim Char'] => code",
]

/** Gives code its style: by the names of other styles, and by monospaced fonts where not nearly all of the document has one. */
export function markCode(document: WordElement): WordElement {
  const letters = lengthOf(document, () => true)
  const byFont = isCodeMonospaced(lengthOf(document, isMonospaced), letters)
  const isCode = (run: WordElement) => byFont && isMonospaced(run)
  const mark = (element: WordElement): WordElement => {
    const children = element.children?.map(mark)
    const marked = children === undefined ? element : { ...element, children }
    if (element.type === 'run') {
      const isStyled = STYLES['Verbatim Char'].test(element.styleName ?? '')
      return isStyled || isCode(element) ? { ...marked, styleName: 'Verbatim Char' } : marked
    }
    return element.type === 'paragraph' ? markParagraph(marked, isAll(element, isCode)) : marked
  }
  return mark(document)
}

/** A heading keeps no marks of code when all of it is in such a font, and an item of a list stays one. */
function markParagraph(paragraph: WordElement, isAllCode: boolean): WordElement {
  const style = paragraph.styleName ?? ''
  if (STYLES['Source Code'].test(style)) return withoutRunStyles({ ...paragraph, styleName: 'Source Code' })
  if (!isAllCode || paragraph.numbering) return paragraph
  const isHeading = /^(?:heading|title|subtitle|caption)/i.test(style)
  return withoutRunStyles(isHeading ? paragraph : { ...paragraph, styleName: 'Source Code' })
}

function isMonospaced({ font }: WordElement): boolean {
  return isMonospacedFont(font ?? '')
}

/** Letters of the runs that fit. */
function lengthOf(element: WordElement, fits: (run: WordElement) => boolean): number {
  if (element.type === 'run' && !fits(element)) return 0
  return (element.children ?? []).reduce((sum, child) => sum + lengthOf(child, fits), element.value?.length ?? 0)
}

/** Whether all text of a paragraph is in runs that fit. */
function isAll(paragraph: WordElement, fits: (run: WordElement) => boolean): boolean {
  const letters = lengthOf(paragraph, () => true)
  return letters > 0 && lengthOf(paragraph, fits) === letters
}

/** Code inside of code would be marked twice. */
function withoutRunStyles(element: WordElement): WordElement {
  const children = element.children?.map(withoutRunStyles)
  const plain = children === undefined ? element : { ...element, children }
  return element.type === 'run' ? { ...plain, styleName: null } : plain
}
