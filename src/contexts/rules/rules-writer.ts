import { rememberedByObject } from '../../text/bounded-cache.ts'
import { titledPath } from '../../text/names/titled-path.ts'
import {
  type ChunkContext,
  type ContextDocument,
  type ContextRequest,
  type ContextWriter,
  NO_USAGE,
} from '../context.ts'
import { judgeContext } from '../quality/judge.ts'
import { type Definition, type DocumentNotes, readNotes } from './document-notes.ts'

/** A sentence of a context is cut to this many words. */
const MOST_WORDS = 40
const MOST_DEFINITIONS = 2
/** Changes with the rules. */
const VERSION = 'rules-1'

/**
 * Writes contexts without a model, from what the document says itself: where the chunk stands, the first sentence of the document and of
 * its section, and the definitions of terms that the chunk uses. What the chunk says itself is left out.
 */
export function createRulesWriter({ countTokens }: { countTokens: (text: string) => number }): ContextWriter {
  // Chunks of a document come one after the other, with the same object.
  const notesOf = rememberedByObject(({ text }: ContextDocument) => readNotes(text))
  return {
    model: 'rules',
    version: VERSION,
    endpoint: null,
    concurrency: 1,
    write: async (request, signal): Promise<ChunkContext> => {
      signal.throwIfAborted()
      const text = rulesContext(request, notesOf(request.document))
      const { score: quality } = judgeContext(text, request, { countTokens })
      return { text, quality, model: 'rules', tokens: countTokens(text), usage: NO_USAGE, calls: 0, fallback: null }
    },
  }
}

function rulesContext({ document, chunk }: ContextRequest, notes: DocumentNotes): string {
  const said = chunk.text.replace(/\s+/g, ' ')
  const start = chunk.start ?? Math.max(0, document.text.indexOf(chunk.text.slice(0, 200)))
  const section = notes.sections.findLast(({ start: at }) => at <= start)
  const sentences = [notes.lead, section?.lead ?? null, ...definitionsFor(said, notes)]
    .filter(sentence => sentence !== null)
    .map(({ text }) => text)
    .filter(text => !said.includes(text))
  const added = [...new Set(sentences)].map(clipped)
  if (added.length === 0) return ''
  const path = titledPath(document.title, chunk.sectionPath)
  return [...(path === '' ? [] : [`${path}.`]), ...added].join(' ')
}

/** The definitions of terms that a text uses, in the order of the document. */
function definitionsFor(text: string, { definitions }: DocumentNotes): Definition[] {
  return definitions.filter(({ term }) => usesTerm(text, term)).slice(0, MOST_DEFINITIONS)
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u

function usesTerm(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + term.length] ?? ' ']
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return true
  }
  return false
}

function clipped(sentence: string): string {
  const words = sentence.split(' ')
  return words.length <= MOST_WORDS ? sentence : `${words.slice(0, MOST_WORDS).join(' ')} …`
}
