const BEFORE = String.raw`(?:^|[\s("'[])`

/** Abbreviations that rarely end a sentence, and initials ("J. Smith"). */
const INSIDE = new RegExp(
  `${BEFORE}(?:${[
    'Dr|Mr|Mrs|Ms|Prof|St|Gen|Col|Lt|Capt|Sgt|Rev|Hon',
    'Fig|Figs|Eq|Eqs|No|Nos|Nr|Sec|Ch|Vol|Ref|Tab|Art|Arts|Abs|p|pp',
    'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat',
    String.raw`vs|e\.g|i\.e|cf|approx|ca|resp|incl|\p{Lu}`,
  ].join('|')})\\.\\s*$`,
  'u',
)

/** Abbreviations that end a sentence as often: a word that begins many sentences tells. */
const MAYBE_INSIDE = new RegExp(`${BEFORE}(?:Inc|Ltd|Corp|Co|Jr|Sr|U\\.S|U\\.K|U\\.N|E\\.U|a\\.m|p\\.m)\\.\\s*$`, 'u')
const BEGINS_SENTENCE =
  /^(?:The|An?|Its?|This|That|These|Those|There|He|She|They|We|You|I|In|On|At|If|When|While|After|Before|For|From|To|By|As|But|And|Or|So|However|Please|All|Each|Not?|See|Use)(?![\p{L}\p{N}])/u

/** Abbreviations that end a sentence as often, unless lower case follows. Brackets and quotation marks may close behind them. */
const LIST_ENDS = /(?:^|[\s("'[,])(?:etc|et al|usw|itd|osv)\.["'”’)\]]{0,4}\s*$/u

/** What `isAbbreviation` looks at behind a cut, in UTF-16 code units. */
export const LONGEST_AFTER = 10

/** Whether a full stop ends an abbreviation inside of a sentence. @param before up to the cut; @param after its first 10 code units */
export function isAbbreviation(before: string, after: string): boolean {
  return INSIDE.test(before) || (MAYBE_INSIDE.test(before) && !BEGINS_SENTENCE.test(after))
}

/** Whether a full stop ends an abbreviation before a line that goes on in lower case. @param line up to its end */
export function endsWithAbbreviation(line: string): boolean {
  return INSIDE.test(line) || MAYBE_INSIDE.test(line) || LIST_ENDS.test(line)
}
