import TurndownService from 'turndown'

/** Stands for a backslash until its line is known. Unicode keeps this code point out of texts. */
export const ESCAPE = '\uFDD0'

const ESCAPED = /\\([\\`*_[\]#+=~>.-])/g
/** The marks of quotes and lists at the start of a line, where a sign may begin a block. */
const BLOCK_MARKS = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/
/** Signs that mean something at the start of a block only, as a point does behind a number there. */
const BLOCK_SIGNS = /[-+=#>]/
const CLOSES_HEADING = new RegExp(`^(?:${ESCAPE}?#)+[ \\t]*$`)
const IS_NUMBER = /^\d+$/
const BRACKETS = /[[\]]/
const ALWAYS = /[`*_~]/
/** A backslash before a space or a letter is one in markdown too. */
const WORD_FOLLOWS = /[^!-/:-@[-`{-~\uFDD0]/
/** Behind a bracket, what may make a link or its definition of it. */
const LINKS = /\][([:]/
/** At the start of a block: the box of a task, or the name of a note. */
const BOX = /^\[(?:.\]|!)/
const STARS = new RegExp(`(?<=[ \\t])(?:(?:${ESCAPE}\\*)+|(?:${ESCAPE}_)+)(?=[ \\t]|$)`, 'g')
/** An underscore inside a word is no emphasis (CommonMark 6.2), so the names of things need no backslashes. A word can go on in another element. */
const INSIDE_WORD = new RegExp(`(?<=[\\p{L}\\p{N}])(?:${ESCAPE}_)+(?=[\\p{L}\\p{N}])`, 'gu')
const RULE = /^[\s>*_]*$/
const ANY_ESCAPE = new RegExp(`${ESCAPE}(.?)`, 'g')

/** Escapes a text for markdown. */
export function escapeText(text: string): string {
  return TurndownService.prototype.escape(text).replace(ESCAPED, `${ESCAPE}$1`)
}

/** Writes the backslashes of `escapeText` that have an effect where they stand, and leaves out the others. */
export function settleEscapes(markdown: string): string {
  return markdown
    .split('\n')
    .map(line => (line.includes(ESCAPE) ? settleLine(line) : line))
    .join('\n')
}

function settleLine(line: string): string {
  const start = BLOCK_MARKS.exec(line)?.[0].length ?? 0
  const plain = line.replaceAll(ESCAPE, '')
  // Stars with space on both sides are no emphasis, but begin a list at the start of a block, and are a rule where nothing else is.
  const rest = line.slice(start + 1)
  const freed = RULE.test(plain) ? rest : rest.replace(STARS, stars => stars.replaceAll(ESCAPE, ''))
  const settled = (line.slice(0, start + 1) + freed).replace(INSIDE_WORD, signs => signs.replaceAll(ESCAPE, ''))
  const keepsBrackets = LINKS.test(plain) || BOX.test(plain.slice(start))
  return settled.replace(ANY_ESCAPE, (_, sign: string, at: number) => {
    const isNeeded =
      (BLOCK_SIGNS.test(sign) && at === start) ||
      (sign === '#' && CLOSES_HEADING.test(settled.slice(at + 1))) ||
      (sign === '.' && IS_NUMBER.test(settled.slice(start, at))) ||
      (sign === '\\' && !WORD_FOLLOWS.test(settled.slice(at + 2, at + 3))) ||
      (BRACKETS.test(sign) && keepsBrackets) ||
      ALWAYS.test(sign)
    return isNeeded ? `\\${sign}` : sign
  })
}
