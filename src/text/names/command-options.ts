import { ENGLISH_STOP_WORDS } from '../terms/stop-words.ts'

/** Longest beginning of a line that names options, in UTF-16 code units. */
const LONGEST_RUN = 160
/** A line that begins with an option, behind the sign of an item, of a heading or of a cell, in code, in bold or as it is. */
const BEGINS_WITH_OPTION = /^[\s>|]*(?:#{1,6}\s+|[-*+]\s+)?[`*]{0,3}\\?-(?:\\?-)?\p{L}/u
/** Where the names of options end and what they mean begins: two spaces, a colon, or the end of a cell. */
const END_OF_NAMES = /\S(?:[^\S\n]{2,}|\t|::?\s|[^\S\n]+(?:[-–—]\s|\|))/u
/** `-J`, `--jump`, `-alertmanager.url`; Markdown may escape the dashes. */
const OPTION = /(?<![\p{L}\p{N}_\\-])\\?-\\?-?\p{L}(?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?/gu
/** A word that the question calls an option, and a word with hyphens, which may be one: "the option jump", "the dry-run flag". */
const CALLED_OPTION = /\b(?:option|flag|switch|argument)s? [`"']?([\p{L}\p{N}][\p{L}\p{N}_.-]*)/giu
const BEFORE_OPTION = /(?<![\p{L}\p{N}_.-])([\p{L}\p{N}][\p{L}\p{N}_.-]*)[`"']? (?:option|flag|switch|argument)\b/giu
const WITH_HYPHENS = /(?<![\p{L}\p{N}_.-])\p{Ll}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)+(?![\p{L}\p{N}_-])/gu

/** The options that a line explains, as they are written: `-J, --jump=HOST   Connects through HOST.` Empty for a line that begins in another way. */
export function optionsOf(line: string): string[] {
  if (!BEGINS_WITH_OPTION.test(line)) return []
  const start = line.slice(0, LONGEST_RUN)
  const end = END_OF_NAMES.exec(start)
  return optionsIn(end === null ? start : start.slice(0, end.index + 1))
}

/** The options that a question asks for, with their dashes. A name without dashes stands for both forms. Their case counts: `-j` is not `-J`. */
export function askedOptions(question: string): string[] {
  const bare = [CALLED_OPTION, BEFORE_OPTION].flatMap(pattern =>
    [...question.matchAll(pattern)].map(([, name = '']) => name),
  )
  const named = bare.filter(name => !ENGLISH_STOP_WORDS.has(name.toLowerCase()))
  const hyphened = question.match(WITH_HYPHENS) ?? []
  return [...optionsIn(question), ...[...named, ...hyphened].flatMap(name => [`-${name}`, `--${name}`])]
}

function optionsIn(text: string): string[] {
  return (text.match(OPTION) ?? []).map(option => option.replaceAll('\\', ''))
}
