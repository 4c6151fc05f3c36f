import { prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Span } from '../../core/types.ts'
import { rememberedSteps } from '../../text/bounded-cache.ts'
import { isCode } from '../../text/code/is-code.ts'
import { beginsOpenCode, closesFence, openingFence } from '../../text/fence.ts'
import { endsParagraph } from '../../text/sentences/ends.ts'
import { LIST_ITEM } from '../../text/sentences/line-forms.ts'
import { sentencesOf } from '../../text/sentences/sentences.ts'
import { isTableRule } from '../../text/sentences/table-row.ts'
import { LONGEST_SPLIT, MOST_OF_CHUNK, SENTENCES_PER_STEP } from '../sentences/units.ts'
import { lengthInWords, sentenceForm } from './sentence-form.ts'

/** A sentence, list item, table row, heading or code block of a text, with what it cannot be read without. */
export interface OutlinedSentence extends Span {
  /** See `sentenceForm`; of code, the exact text. */
  form: string
  words: number
  isHeading: boolean
  /** Whether it leads to what comes after it: a heading, a line that ends with a colon, or the head of a table. */
  isLead: boolean
  /**
   * Place of the sentence that it cannot be read without, or -1: the sentence before a list, the item above a nested one, the head of
   * the table, a line that ends with a colon, the sentence that "it" or "this" refers to, or the label that it stands under.
   */
  lead: number
  /** Place of the heading that it stands under, or -1. */
  heading: number
}

const REST = /^[*_~"'”’»)\]]{1,8}(?:\s+|$)/u
const INDENTED = /^(?: {4}|\t)/u
const HEADING = /^\s{0,3}(#{1,6})\s/u
const COLON = /[:：]["'”’)*_`]{0,4}\s*$/u
const QUOTE = /^\s*>/u
/** The end of a sentence that says something, and not of a term or a question. */
const STATEMENT_END = /[.!;:,…。！；：，、]["'”’»)\]*_`]{0,4}\s*$/u
const LONGEST_LABEL_WORDS = 10
/** Words that refer to the sentence before when they begin a sentence: English, German, French, Spanish, then scripts without spaces. */
const REFERENCE = new RegExp(
  `^[\\s"'“„«(*_]*(?:(?:${[
    'it|its|this|that|these|those|they|their|them|he|she|his|her|such|both|neither|then|therefore|thus|hence|however|otherwise|instead',
    'er|sie|es|ihre?[mnrs]?|diese[mnrs]?|dies|jene[mnrs]?|dabei|dafür|dagegen|daher|damit|danach|darum|dazu|deshalb|jedoch|sonst|dann',
    'il|ils|elle|elles|ce|cet|cette|ces|cela|ceci|celui-ci|celle-ci|donc|cependant|sinon',
    'este|esta|esto|estos|estas|ese|esa|eso|esos|esas|ello|ellos|ellas|por tanto|sin embargo|si no',
  ].join(
    '|',
  )})(?![\\p{L}\\p{N}])|これ|それ|あれ|この|その|しかし|ただし|したがって|此|这|這|那|它|他|她|其|但|因此|否则|否則)`,
  'iu',
)

/**
 * The sentences of a text with what each depends on. Empty for source code, and when the text has a code fence that may be the end of code that begins before it: then it is not known
 * what is code. What is behind the first 131,072 code units or 5,000 sentences is left out. Cached for 4,000 texts or 5 million code units.
 */
export const outlineOf = rememberedSteps(outline, {
  entries: 4_000,
  weight: 5_000_000,
  weigh: sentences => sentences.at(-1)?.end ?? 1,
})

function* outline(text: string): Steps<readonly OutlinedSentence[]> {
  // The same statement in another function is no repetition.
  if (isCode(text)) return []
  const outlined: OutlinedSentence[] = []
  const leads = new Leads()
  let hasUnsureFence = false
  for (const found of sentencesOf(prefixOf(text, LONGEST_SPLIT))) {
    const { end } = found
    const last = outlined.at(-1)
    const start = found.start + (last && /\S/u.test(text[found.start - 1] ?? '') ? lengthOfRest(found.text) : 0)
    const sentence = text.slice(start, end)
    if (last && start > found.start) {
      const whole = text.slice(last.start, start)
      outlined.splice(-1, 1, { ...last, end: start, form: sentenceForm(whole) })
      leads.extend(whole)
      if (sentence === '') continue
    }
    const fence = openingFence(sentence)
    const isCode = fence !== null || (found.kind === 'text' && INDENTED.test(sentence) && !LIST_ITEM.test(sentence))
    hasUnsureFence ||=
      fence !== null && !endsWithFence(sentence, fence) && !beginsCode(sentence, fence, text.slice(0, start))
    const form = isCode ? sentence.trimEnd() : sentenceForm(sentence)
    const isHeading = !isCode && HEADING.test(sentence)
    const isRow = found.kind === 'row'
    const words = lengthInWords(form)
    const { lead, heading, isHead } = leads.next(sentence, { isCode, isHeading, isRow, words })
    const isLead = isHeading || isHead || COLON.test(sentence)
    outlined.push({ start, end, form, words, isHeading, isLead, lead, heading })
    if (outlined.length >= MOST_OF_CHUNK) break
    if (outlined.length % SENTENCES_PER_STEP === 0) yield
  }
  return hasUnsureFence ? [] : outlined
}

/** Length of the marks at the start that belong to the sentence before, such as the end of emphasis, with the white space behind them. */
function lengthOfRest(sentence: string): number {
  return REST.exec(sentence)?.[0].length ?? 0
}

function endsWithFence(block: string, fence: string): boolean {
  const lines = block.trimEnd().split('\n')
  return lines.length > 1 && closesFence(lines.at(-1) ?? '', fence)
}

function beginsCode(block: string, fence: string, before: string): boolean {
  const [line = '', below = ''] = block.split('\n', 2)
  return beginsOpenCode(line, fence, before, below)
}

interface Kind {
  isCode: boolean
  isHeading: boolean
  isRow: boolean
  words: number
}

/** Finds what each sentence of a text depends on, in one pass. */
class Leads {
  private place = -1
  /** The sentence before. */
  private previous = ''
  /**
   * The place of the last label below the last heading, or -1. A label is a short paragraph of its own without the end of a statement: a term before its
   * definition, or a question before its answer. Under another label, the same words say something of another thing.
   */
  private label = -1
  /** The place of the sentence before the list that is open; null outside of lists. */
  private beforeList: number | null = null
  /** The open items of the list, each deeper than the one before. */
  private items: { place: number; depth: number }[] = []
  /** The place of the last row of the head of the open table; null outside of tables. */
  private head: number | null = null
  /** The open headings, each of a lower level than the one before. */
  private headings: { place: number; level: number }[] = []

  /** The last sentence is longer. */
  extend(sentence: string): void {
    this.previous = sentence
  }

  next(sentence: string, kind: Kind): { lead: number; heading: number; isHead: boolean } {
    const before = this.place++
    if (endsParagraph(this.previous)) this.head = null
    const indent = kind.isCode ? undefined : LIST_ITEM.exec(sentence)?.[1]
    const isFirstRow = kind.isRow && this.head === null
    const isHead = isFirstRow || (kind.isRow && this.head === before && isTableRule(sentence))
    const needed = this.leadOf(sentence, kind, indent, before)
    const isLabel = needed < 0 && indent === undefined && this.isLabel(sentence, kind)
    if (kind.isHeading || isLabel) this.label = isLabel ? this.place : -1
    const lead = needed < 0 && !kind.isHeading && !isLabel ? this.label : needed
    if (isHead) this.head = this.place
    else if (!kind.isRow) this.head = null
    if (indent === undefined) {
      this.beforeList = null
      this.items = []
    } else this.items.push({ place: this.place, depth: indent.length })
    const level = kind.isHeading ? (HEADING.exec(sentence)?.[1]?.length ?? 1) : Number.POSITIVE_INFINITY
    while ((this.headings.at(-1)?.level ?? 0) >= level) this.headings.pop()
    const heading = this.headings.at(-1)?.place ?? -1
    if (kind.isHeading) this.headings.push({ place: this.place, level })
    this.previous = sentence
    return { lead, heading, isHead }
  }

  private isLabel(sentence: string, { isCode, isHeading, isRow, words }: Kind): boolean {
    if (isCode || isHeading || isRow || words === 0 || words > LONGEST_LABEL_WORDS) return false
    const isParagraph =
      (this.place === 0 || endsParagraph(this.previous) || HEADING.test(this.previous)) && endsParagraph(sentence)
    return isParagraph && !QUOTE.test(sentence) && !STATEMENT_END.test(sentence)
  }

  private leadOf(sentence: string, { isHeading, isRow }: Kind, indent: string | undefined, before: number): number {
    if (isHeading) return -1
    if (isRow && this.head !== null) return this.head
    if (indent !== undefined) {
      this.beforeList ??= before
      while ((this.items.at(-1)?.depth ?? -1) >= indent.length) this.items.pop()
      return this.items.at(-1)?.place ?? this.beforeList
    }
    if (COLON.test(this.previous)) return before
    return !endsParagraph(this.previous) && REFERENCE.test(sentence) ? before : -1
  }
}
