import { columnsOf } from './columns.ts'

/** Fences of code blocks in Markdown (CommonMark 0.31, 4.5). A fence is its indentation and its backticks or tildes. */

const OPENING = /^([ \t]*(?:`{3,}(?=[^`\n]*(?:\n|$))|~{3,}))/u
const CLOSING = /^[ \t]*(`{3,}|~{3,})[ \t\r\n]*$/u
/** A fence stands at most so many columns deeper than the text around it. */
const MOST_COLUMNS = 3

/**
 * The fence with which the first line of a text opens a code block; null when it opens none. A fence that is indented deeper than by three columns stands
 * in an item of a list or in a box. In indented code it would be text, but there its end stands as deep, so that nothing else is taken for code.
 */
export function openingFence(text: string): string | null {
  return OPENING.exec(text)?.[1] ?? null
}

/** Tildes before several words, as in a table of the signs below titles: "~~~~~~~  Heading 2". */
const TILDES_BEFORE_WORDS = /^[ \t]*~{3,}[ \t]+\S+[ \t]+\S/u

/** The same in text that is no Markdown by its kind, where tildes before several words open none. */
export function openingFenceOfText(line: string): string | null {
  return TILDES_BEFORE_WORDS.test(line) ? null : openingFence(line)
}

/** Whether a line closes the code block that `fence` opened: it has at least as many of the same marks, nothing behind them, and is not indented like code. */
export function closesFence(line: string, fence: string): boolean {
  const marks = CLOSING.exec(line)?.[1]
  return marks?.startsWith(fence.trimStart()) === true && columnsOf(line) <= Math.max(MOST_COLUMNS, columnsOf(fence))
}

/** Whether a line stands outside of the item of a list that holds the code block of `fence`, and so ends it. */
export function leavesFence(line: string, fence: string): boolean {
  return line.trim() !== '' && columnsOf(line) < columnsOf(fence) - MOST_COLUMNS
}

/** Length of the longest run of backticks in a text; 0 without one. */
export function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

/** The fence of a code block that nothing in the code ends. */
export const fenceAround = (code: string): string => '`'.repeat(Math.max(3, longestTicks(code) + 1))

/** What stands above code, and not at its end. */
const BEFORE_CODE = /^\s*$|:\s*$/u

/**
 * Whether a line with a fence begins code, where its other end is not there. A fence alone can also be the end of code that begins before the text.
 * @param before the text before it, of which the last line counts @param below the line behind it, '' at the end
 */
export function beginsOpenCode(line: string, fence: string, before: string, below: string): boolean {
  if (namesLanguage(line, fence)) return true
  const above = before.slice(before.lastIndexOf('\n', before.length - 2) + 1)
  return BEFORE_CODE.test(above) && below.trim() !== ''
}

/** Whether a line with a fence names the language of the code below it. */
export function namesLanguage(line: string, fence: string): boolean {
  return line.slice(fence.length).trim() !== ''
}
