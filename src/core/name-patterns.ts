/**
 * Whether a name matches one of the patterns. `*` stands for any number of characters, every other character for itself.
 * @param patterns for example `['docs', 'team-*']`
 */
export function matchesAny(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(pattern => new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`, 'su'))
  return name => expressions.some(expression => expression.test(name))
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
