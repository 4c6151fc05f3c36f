import { splitSentences } from '../../text/sentences/sentences.ts'
import { type Definition, definitionIn } from './definitions.ts'

/** What the rules know of a document. Offsets are in UTF-16 code units. */
export interface DocumentNotes {
  /** The first sentence of prose; null without one. */
  lead: Sentence | null
  /** In the order of the text; the first one is what stands before the first heading. */
  sections: { start: number; lead: Sentence | null }[]
  /** The first definition of each term. */
  definitions: Definition[]
}

export interface Sentence {
  text: string
  start: number
}

const HEADING = /^ {0,3}#{1,6}\s/
/** Items, rows, quotes, tags and pictures are no prose. */
const NOT_PROSE = /^\s*(?:[-*+•>|]|\d{1,3}[.)]\s|!?\[|<|```|~~~)/
const LETTERS = /\p{L}/gu
/** A sentence with fewer words is a label. */
const FEWEST_WORDS = 5

/** Each chunk is searched for each term. */
const MOST_DEFINITIONS = 500

/** Reads a document once: the first sentence of each section, and the sentences that define a term. Time is linear in the length. */
export function readNotes(text: string): DocumentNotes {
  const sections: DocumentNotes['sections'] = [{ start: 0, lead: null }]
  const definitions = new Map<string, Definition>()
  for (const { text: raw, start } of splitSentences(text)) {
    if (HEADING.test(raw)) {
      sections.push({ start, lead: null })
      continue
    }
    const sentence = { text: raw.replace(/\s+/g, ' ').trim(), start }
    const definition = definitionIn(sentence)
    if (definition !== null && definitions.size < MOST_DEFINITIONS && !definitions.has(definition.term))
      definitions.set(definition.term, definition)
    const section = sections.at(-1)
    if (section?.lead === null && isProse(raw, sentence.text)) section.lead = sentence
  }
  return {
    lead: sections.find(section => section.lead !== null)?.lead ?? null,
    sections,
    definitions: [...definitions.values()],
  }
}

function isProse(raw: string, sentence: string): boolean {
  if (NOT_PROSE.test(raw) || sentence.split(' ').length < FEWEST_WORDS) return false
  return (sentence.match(LETTERS)?.length ?? 0) > sentence.length / 2
}
