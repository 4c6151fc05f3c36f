import { closesFence, openingFenceOfText } from '../../text/fence.ts'
import { isUnderlined } from '../../text/sentences/line-forms.ts'

/** What may be YAML (`---`) or TOML (`+++`) front matter at the start of a text, with its last line end; three full stops end YAML, too. Groups: the fence, the content. */
export const FRONT_MATTER = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??(?:\1|\.{3})[ \t]*(?:\r?\n|$)/

/** Lists and quotes deeper than this are text: the time of a parser grows with the depth of nesting. */
const MOST_LEVELS = 16
/** A mark in a later column is text too: it could only belong to a deeper level, at up to four columns a level. */
const MOST_COLUMNS = 4 * MOST_LEVELS
/** The marks that open lists and quotes at the start of a line, with the space before each. */
const OPENING_MARKS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gm
const NOT_SPACE = /[^ \t]/g
const NUMBER = /\d+/g
/**
 * "1. Setup" and the line below it, which the parser takes for a list and a rule. Three hyphens may be a rule after the last item of a
 * list. A title begins a paragraph, or has the same line above it.
 */
const NUMBERED_TITLE =
  /(?<=(?:^|\n)[ \t]*\n|^|\n(?:={3,}|-{3,})[ \t]*\n)(\d{1,9}[.)])[ \t](?=[ \t]*\S[^\n]*\n {0,3}(?:={3,}|-{4,})[ \t]*(?:\n|$))/g

/** One or two hyphens below a longer line are no rule in text that is no Markdown: they begin the signature of a mail. */
const SHORT_RULE = /^(.*\n {0,3})(-{1,2})(?=[ \t]*$)/gm

function maskShortRules(text: string): string {
  return text.replace(SHORT_RULE, (whole, above: string, rule: string) =>
    rule.length < above.trim().length ? `${above}${'x'.repeat(rule.length)}` : whole,
  )
}

/** Masks what the block parser misreads or parses too slowly; the length stays, so that offsets stay. */
export function maskForParsing(text: string, isPlain: boolean): string {
  // The parser knows only one line end.
  const lines = text.replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
  return (
    (isPlain ? maskShortRules(maskTitlesLikeFences(lines)) : lines)
      .replace(FRONT_MATTER, matter => matter.replace(/[^\n]/g, 'x'))
      .replace(/^\uFEFF/, ' ')
      // A number before a no-break space begins no list.
      .replace(NUMBERED_TITLE, '$1\u00A0')
      .replace(OPENING_MARKS, opening => (isDeep(opening) ? opening.replace(NOT_SPACE, 'x') : opening))
  )
}

function isDeep(opening: string): boolean {
  const marks = opening.replace(NUMBER, '').match(NOT_SPACE)?.length ?? 0
  return opening.length > MOST_COLUMNS || marks > MOST_LEVELS
}

/** A fence of three signs can stand below the last word of a paragraph, which is no longer. */
const SHORTEST_FENCE = 3

/**
 * reStructuredText writes tildes and backticks below titles too, which open code in Markdown. They are as long as the line above them, and a blank
 * line follows.
 */
function maskTitlesLikeFences(text: string): string {
  const lines = text.split('\n')
  const isBlank = (at: number): boolean => (lines[at] ?? '').trim() === ''
  let fence: string | null = null
  const masked = lines.map((line, at) => {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null
      return line
    }
    fence = openingFenceOfText(line)
    const isRule = isBlank(at - 2) || line.trim().length > SHORTEST_FENCE
    const isTitle = fence !== null && isRule && isBlank(at + 1) && isUnderlined(lines[at - 1] ?? '', line)
    if (!isTitle) return line
    fence = null
    return line.replace(/[~`]/g, '^')
  })
  return masked.join('\n')
}
