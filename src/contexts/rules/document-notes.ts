import { splitSentences } from '../../text/sentences/sentences.ts'

/** What the rules know of a document. Offsets are in UTF-16 code units. */
export interface DocumentNotes {
  /** The first sentence of prose; null without one. */
  lead: Sentence | null
  /** In the order of the text; the first one is what stands before the first heading. */
  sections: { start: number; lead: Sentence | null }[]
  /** The first definition of each term. */
  definitions: Definition[]
}

interface Sentence {
  text: string
  start: number
}

/** A sentence that says what a term means. */
export interface Definition extends Sentence {
  /** As it is written there, for example `PDPA` or `Level 3 travel`. */
  term: string
}

const HEADING = /^ {0,3}#{1,6}\s/
/** Items, rows, quotes, tags and pictures are no prose. */
const NOT_PROSE = /^\s*(?:[-*+•>|]|\d{1,3}[.)]\s|!?\[|<|```|~~~)/
const LETTERS = /\p{L}/gu
/** A sentence with fewer words is a label. */
const FEWEST_WORDS = 5
/** Longer sentences say more than what a term means. */
const LONGEST_DEFINITION = 400
const DEFINITIONS = [
  // Personal Data Protection Act (PDPA)
  /(?:\p{Lu}[\p{L}\d-]*\s(?:(?:of|and|for|the|to|in|on)\s)?){2,8}\((\p{Lu}[\p{Lu}\d&-]{1,9})s?\)/u,
  // "Confidential Information" means …
  /["“”']([^"“”']{2,60})["“”'],?\s(?:means|mean|shall mean|refers to|is defined as|denotes)\b/u,
  /^(?:An?\s|The\s)?(\p{L}[\p{L}\d -]{2,40}?)\s(?:means|refers to|is defined as|denotes|stands for)\s/u,
  // **Level 3 travel**: … and `chunk_size` is …
  /^(?:[-*+•]\s+)?\*\*([^*]{2,60}?):?\*\*\s*(?:[:–—-]|is\b|are\b)/u,
  /^(?:[-*+•]\s+)?`([^`]{2,60})`\s*(?:[:–—-]|is\b|are\b)/u,
]
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

/** The definition in a sentence; null when it holds none. */
function definitionIn(sentence: Sentence): Definition | null {
  if (sentence.text.length > LONGEST_DEFINITION) return null
  for (const pattern of DEFINITIONS) {
    const term = pattern.exec(sentence.text)?.[1]?.trim()
    if (term !== undefined && term !== '') return { ...sentence, term }
  }
  return null
}
