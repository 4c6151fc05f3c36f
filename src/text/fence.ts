/** Fences of code blocks in Markdown (CommonMark 0.31, 4.5). */

const OPENING = /^ {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/u
const CLOSING = /^ {0,3}(`{3,}|~{3,})\s*$/u

/** The backticks or tildes with which the first line of a text opens a code block; null when it opens none. */
export function openingFence(text: string): string | null {
  return OPENING.exec(text)?.[1] ?? null
}

/** Whether a line closes the code block that `fence` opened: it has at least as many of the same marks, and nothing behind them. */
export function closesFence(line: string, fence: string): boolean {
  return CLOSING.exec(line)?.[1]?.startsWith(fence) ?? false
}
