import type { Tokenizer } from '../../core/ports.ts'

/** The first of these texts that has at most `budget` tokens; '' when none has. */
export function firstThatFits(texts: readonly string[], budget: number, countTokens: Tokenizer['count']): string {
  return texts.find(text => countTokens(text) <= budget) ?? ''
}

/**
 * As many lines, from the first on, as fit into a budget, and a last line for those that are left out. The joined text has at most
 * `budget` tokens; it is '' when not even the last line fits.
 * @param rest the last line, from the number of lines that are left out
 */
export function linesThatFit(
  lines: readonly string[],
  rest: (left: number) => string,
  { budget, countTokens }: { budget: number; countTokens: Tokenizer['count'] },
): string {
  const textOf = (shown: number) =>
    [...lines.slice(0, shown), ...(shown < lines.length ? [rest(lines.length - shown)] : [])].join('\n')
  let shown = 0
  // An estimate, because the tokens of a whole are not exactly those of its parts. Each line also has its line break.
  for (let tokens = 0; shown < lines.length; shown++) {
    tokens += countTokens(lines[shown] ?? '') + 1
    if (tokens > budget) break
  }
  while (shown > 0 && countTokens(textOf(shown)) > budget) shown--
  const text = textOf(shown)
  return countTokens(text) <= budget ? text : ''
}
