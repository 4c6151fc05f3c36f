import { isNumberedTitle, isSectionNumber, isUnderlinedTitle } from '../../text/sentences/line-forms.ts'
import { withoutOpeningFence } from './code-lines.ts'
import { LEAD_IN } from './open-list.ts'

const HEADING = /^\s{0,3}#{1,6}\s/u
/** A question that ends its paragraph: the answer follows. */
const QUESTION = /[?？]["'”’)\]*_]{0,4}[^\S\n]*\n\s*$/u
/** The label of a box, alone in its line, also in a quotation. */
const LABEL = /^[\s>*_]*(?:note|tip|hint|important|warning|caution|danger|attention|example|see also)[\s>*_]*$/iu
/** A few words in bold or italics, alone, that no sign ends: the name of what follows. */
const MARKED_NAME = /^[\s>]*(\*{1,3}|_{1,3})[^*_\n]{0,80}[^*_\s.!?。！？]\1[\s>]*$/u
/** A directive of reStructuredText: ".. note::". */
const DIRECTIVE = /^\s*\.\. [\w:-]{1,40}::[^\n]{0,80}\s*$/u
/** A comment of HTML, which no reader of the document sees. */
const COMMENT = String.raw`<!--(?:(?!-->)[\s\S])*-->`
/** Signs, tags and comments alone, such as `</div>`, or the two stars before a sentence in bold. */
const SIGNS = new RegExp(String.raw`^(?:${COMMENT}|(?!<!--)[^\p{L}\p{N}]|<\/?[a-z][^<>]*>)*$`, 'iu')
/** Definitions of links alone: `[label]: address`. */
const LINK_DEFINITIONS = /^(?:\s*\[[^\]\n]{1,200}\]:[^\S\n]*\S[^\n]*(?:\n|$))+\s*$/u
const OPENINGS = [LEAD_IN, QUESTION, LABEL, MARKED_NAME, DIRECTIVE, SIGNS, LINK_DEFINITIONS]

export function isHeading(text: string): boolean {
  return HEADING.test(text) || isUnderlinedTitle(text)
}

/**
 * Whether a text says nothing without what follows: the number or the numbered title of a clause, a lead-in, a question, a label, a name, signs, comments, or
 * definitions of links.
 * @param endsParagraph whether a paragraph ends with it
 */
export function announces(text: string, endsParagraph: boolean): boolean {
  if (isSectionNumber(text) || (endsParagraph && isNumberedTitle(text))) return true
  const shown = withoutOpeningFence(text)
  return OPENINGS.some(form => form.test(shown))
}
