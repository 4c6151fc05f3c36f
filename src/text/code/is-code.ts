import { remembered } from '../bounded-cache.ts'
import { openingFence } from '../fence.ts'
import { type CodeLine, linesOfCode, withoutRemark } from './lines.ts'

/** Least shares of the lines without comments that look like code, of all of them and of the outer ones; and most of those that look like prose. */
const LEAST_SHARE = 0.4
const LEAST_OUTER_SHARE = 0.5
const MOST_PROSE = 0.1
const LEAST_LINES = 3
/** What is read of a long text, in UTF-16 code units. */
const LONGEST_READ = 20_000

/** Six words of a sentence in a row, or four and its end; a heading, an item of a list, or a row of a table. */
const PROSE =
  /(?:(?<![\p{L}\p{N}_.’'-])\p{L}[\p{L}’'-]*[,.:;]?\s){6}|^(?:[\p{L}\p{N}’'-]+[,:;]?\s){3,}[\p{L}\p{N}’'-]+[.?!]$|^(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|[|>])/u
/** A line of so few words that its end makes it code. */
const SHORT = /^\S+(?:\s\S+){0,4};$|^\S+(?:\s\S+)?,$/u
const FORMS = [
  // The beginning or the end of a block, of a list or of a call.
  /[{[(]$|^[)}\]]|[}\]][;,]*$|\)[;,]+$|\)\s?[:{]$|[\w>\]!]\([^()]*\)$/u,
  // An operator at the end or at the beginning.
  /(?:[\w)\]"']\s(?:=|&&|\|\||\+|\?)|=>|->)$|^(?:&&|\|\||\?\s|\.\w+\()/u,
  /^[\w.$*&[\]"'<>:\-, ]{1,80}?\s?(?:[-+*/|&^%:]|<<|>>)?=(?:[\s>]|$)/u,
  // What only instructions and declarations begin with.
  /^(?:@\w|#\[|#\s?(?:include|define|if|ifdef|ifndef|else|elif|endif|pragma|undef)\b)/u,
  /^(?:import|package|use|using|module|mod)\s[\w.:*/]+;?$|^(?:import|export|from|use)\s.*(?:['"];?|\simport\s.*|;)$/su,
  /^(?:(?:return|raise|throw|yield|await|del|assert|goto)(?:\s\S+){1,4}|pass|break|continue|return|end|do|done|fi|then|else:?|try:?|finally:?)$/u,
  /^(?:if|elif|else if|for|while|with|except|def|class|async def|match|case|default|unless)\b.*[:(]$/u,
  // Shells.
  /^(?:if|elif|for|while|until|case)\b.*(?:\bthen|\bdo|\bin)$|^\w+=\S*$|^\[{1,2}\s.*\s\]{1,2}|^(?:exit|shift|local|unset|export|fi|esac|done)\b(?:\s\S+)?$/u,
]

/**
 * What no list has either: addresses, settings, matrices and poems have lines that end in a comma or a semicolon, words on both sides of `=`, and square brackets.
 */
const SURE_FORMS = [
  // Curly brackets around lines, and calls.
  /\{$|^\}(?:[^{}]*\{$|[;,)\]]*$)|^(?=[^(]*[\w>\]!]\((?!s\))).*\)[;,:]*$|[\w>\]!]\($/su,
  // Operators, and assignments that are declared or closed.
  /(?:\s(?:&&|\|\||=>|->)|\w[:+\-*/|&^%]=\s.*)$|^(?:&&|\|\||\.\w+\()|\w(?:->|::)\w|(?:\+\+|--);$|\s(?:[:+\-*/|&^%!=]=|&&|\|\||=>)\s/su,
  /^(?:export\s)?(?:const|let|var|static|final|type|public|private|protected|internal|local|my|val|auto)\s.*[=;{(]/su,
  /^(?:pub|fn|func|function|def|class|struct|enum|union|impl|trait|interface|typedef|extern|async|namespace|sub)\b.*[;:{(,]/su,
  /^#\s?(?:include|define|if|ifdef|ifndef|else|elif|endif|pragma|undef)\b|^#!?\[\w|^@\w+(?:\.\w+|\(.*\))/u,
  /^(?:import|package|use|using|mod)\s[\w.:*/]+;?$|^(?:import|export|from|use)\s.*(?:['"];?|\simport\s.*|;)$/su,
  /^(?:return|raise|throw|yield|await|del|assert|goto|break|continue|pass)\b(?:.*;$|$|\s\S+$)|^(?:try|finally|else):$/su,
  /^(?:if|elif|else if|for|while|with|except|match|case|default|unless)\b.*[:({]$/su,
  // JSON, and shells.
  /^"[^"]*"\s?:\s/u,
  /^(?:(?:if|elif)\s.*\bthen|(?:for|while|until)\s.*\bdo|fi|done|esac|exit\s\d+|set\s-\w+)$/su,
]
const OPENS_BRACKET = /[({][^(){}]*$/u
/** Least share of such lines, of those that look like code. */
const LEAST_SURE = 0.25

/** Most texts whose answer is kept. One of 800 characters takes up to .1 ms. */
const MOST_KNOWN = 8_000

/**
 * Whether a text is source code, as a whole: no prose, and no Markdown with code in it. Comments count on neither side, because a file can be mostly comments. Of the other lines, enough
 * look as lines of prose never do, and next to none as only prose does, and some of them as no line of a list. So do most of those that stand the least deep: prose can have indented code below it.
 */
export function isCode(text: string): boolean {
  return isKnownCode(text.slice(0, LONGEST_READ))
}

const isKnownCode = remembered(looksLikeCode, { entries: MOST_KNOWN })

function looksLikeCode(text: string): boolean {
  const all = linesOfCode(text)
  const lines = all.filter(({ kind }) => kind === 'code')
  if (all.some(({ isHeading }) => isHeading)) return false
  if (lines.some(({ content }) => openingFence(content) !== null)) return false
  const prose = lines.filter(({ content }) => PROSE.test(content))
  const code = lines.filter(({ content }) => isCodeLine(content))
  const sure = sureLines(code)
  const least = lines.reduce((columns, line) => Math.min(columns, line.columns), Number.POSITIVE_INFINITY)
  const isOuter = ({ columns }: CodeLine) => columns === least
  return (
    code.length >= Math.max(LEAST_LINES, LEAST_SHARE * lines.length) &&
    sure.length >= Math.max(LEAST_LINES, LEAST_SURE * code.length) &&
    prose.length <= MOST_PROSE * lines.length &&
    code.filter(isOuter).length >= LEAST_OUTER_SHARE * lines.filter(isOuter).length
  )
}

function isCodeLine(content: string): boolean {
  const line = withoutRemark(content)
  return !PROSE.test(line) && (SHORT.test(line) || FORMS.some(form => form.test(line)))
}

/** The lines that are code by themselves, and those inside of the brackets that such a line opens, such as the names of an enumeration. */
function sureLines(code: readonly CodeLine[]): CodeLine[] {
  let inside = Number.POSITIVE_INFINITY
  return code.filter(({ content, columns }) => {
    if (columns > inside) return true
    const line = withoutRemark(content)
    const isSure = SURE_FORMS.some(form => form.test(line))
    inside = isSure && OPENS_BRACKET.test(line) ? columns : Number.POSITIVE_INFINITY
    return isSure
  })
}
