/** A line that gives a name a value, also as one of alternatives, as an item or in a comment: `max_shards: 200`, `[ regex: <regex> ]`, `port = 1`. */
const SETTING = /^[\s[{#;-]*["'`]?(\p{L}[\p{L}\p{N}_.-]{0,80})["'`]?[^\S\n]*(?::(?=\s|$)|=(?!=))/u
/** Signs that join the words of a name. */
const JOINS = /[_.-]+/g

/** The name to which a line of code gives a value, as it is written and as words; empty for other lines. */
export function settingNames(line: string): string[] {
  const name = SETTING.exec(line)?.[1]
  return name === undefined ? [] : [name, name.replaceAll(JOINS, ' ')]
}
