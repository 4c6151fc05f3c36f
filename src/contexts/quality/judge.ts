import type { ContextFaultCode } from '../../core/vocabulary.ts'
import { rememberedByObject } from '../../text/bounded-cache.ts'
import { ALL_FUNCTION_WORDS } from '../../text/language/function-words.ts'
import { languageOf, OTHER_LATIN } from '../../text/language/language-of.ts'
import { englishStem } from '../../text/terms/english-stem.ts'
import { terms } from '../../text/terms/terms.ts'
import type { ContextDocument, ContextRequest } from '../context.ts'

/** Changes with every change of the judgement. */
export const JUDGE_VERSION = 'judge-1'

/** What is wrong with a context. */
export interface ContextFault {
  code: ContextFaultCode
  /** What it takes from the score, in (0,1]. */
  penalty: number
}

interface ContextJudgement {
  /** In [0,1]; 1 has no fault, 0 for an empty text. */
  score: number
  /** The worst first. */
  faults: ContextFault[]
}

/** What each fault takes from the score at most. */
const MOST_PENALTY: Readonly<Record<ContextFaultCode, number>> = {
  empty: 1,
  refusal: 1,
  markup: 0.6,
  meta_talk: 0.5,
  generic_opening: 0.5,
  too_short: 0.8,
  too_long: 0.8,
  shares_nothing: 0.5,
  adds_nothing: 0.6,
  invented: 0.8,
  other_language: 0.8,
}
/** Contexts with a lower score are written again. */
export const PASSING_SCORE = 0.6
/** About 20 and 160 words in English: between them, no length is a fault. */
const TOKENS = { least: 25, most: 220 }
/** Longer texts are not read further. No context of a model has as many UTF-16 code units. */
const LONGEST_READ = 8_000
/** A refusal or a remark stands at the beginning, in UTF-16 code units. Later, it can be a quotation. */
const OPENING = 80
/** Invented names and numbers from which the penalty is the whole one. */
const MANY_INVENTED = 5
const FEWEST_ADDED = 2

const REFUSAL =
  /\b(?:i['’]?m sorry|i am sorry|i apologi[sz]e|i (?:cannot|can['’]?t|can not|am unable|am not able|won['’]?t)|i['’]m (?:unable|not able)|as an ai|as a (?:large )?language model|es tut mir leid|ich kann (?:das |dies |dir |ihnen )?(?:leider )?nicht|je suis désolé|je ne peux pas|lo siento|no puedo|mi dispiace|não posso)/u
const META_TALK =
  /^(?:sure|certainly|of course|okay|ok|absolutely|understood|great|natürlich|gerne|bien sûr|claro)\b[,.!: ]|^(?:the |a |an |short |succinct |brief |requested |following )*(?:context|summary|answer)(?: (?:is|for|of)\b|:)|^(?:based on|according to) the (?:document|provided|given|text)|\b(?:let me know if|hope this helps)\b/u
const GENERIC_OPENING =
  /^(?:here (?:is|are)|here['’]s|in (?:this|the) (?:chunk|section|passage|excerpt|document|paragraph|text|snippet)\b|(?:this|these) (?:chunks?|sections?|passages?|excerpts?|documents?|paragraphs?|texts?|snippets?|parts?|pages?|articles?|contexts?|information)\b|the (?:(?:given|following|provided|above) )?(?:chunk|section|passage|excerpt|document|snippet|paragraph|text)\b(?! of the)|diese[rs]? (?:abschnitt|dokument|text|absatz|auszug|passage)\b|(?:der|das|die) (?:abschnitt|dokument|auszug)\b|(?:cette section|ce (?:document|passage|texte|extrait))\b|(?:est[ea] (?:sección|documento|texto|fragmento|pasaje))\b|(?:quest[oa] (?:sezione|documento|testo))\b|(?:est[ea] (?:seção|trecho))\b)/u
const MARKUP = /```|^[[{][\s\S]*[\]}]$|^<\/?[a-z]|^#{1,6} |^\*\*/iu

/**
 * Judges a context that was written for a chunk, after `cleanContext`. The score is 1 less the penalties of the faults, each between 0 and
 * its most in `MOST_PENALTY`. The same input always has the same score; time is linear in the lengths of document and text.
 */
export function judgeContext(
  text: string,
  request: ContextRequest,
  { countTokens }: { countTokens: (text: string) => number },
): ContextJudgement {
  if (text.trim() === '') return { score: 0, faults: [{ code: 'empty', penalty: MOST_PENALTY.empty }] }
  const read = text.slice(0, LONGEST_READ)
  const faults = [...faultsOfForm(read), ...faultsOfLength(text, countTokens), ...faultsOfContent(read, request)]
    .map(({ code, severity }) => ({ code, penalty: severity * MOST_PENALTY[code] }))
    .sort((a, b) => b.penalty - a.penalty)
  const score = faults.reduce((left, { penalty }) => left - penalty, 1)
  return { score: Math.max(0, score), faults }
}

/** A fault with how grave it is, in (0,1]. */
interface Finding {
  code: ContextFaultCode
  severity: number
}

function faultsOfForm(text: string): Finding[] {
  const lower = text.toLowerCase()
  const found = (code: Finding['code'], is: boolean): Finding[] => (is ? [{ code, severity: 1 }] : [])
  return [
    ...found('refusal', REFUSAL.test(lower.slice(0, OPENING))),
    ...found('meta_talk', META_TALK.test(lower)),
    ...found('generic_opening', GENERIC_OPENING.test(lower)),
    ...found('markup', MARKUP.test(text)),
  ]
}

function faultsOfLength(text: string, countTokens: (text: string) => number): Finding[] {
  const tokens = text.length > LONGEST_READ ? Number.POSITIVE_INFINITY : countTokens(text)
  if (tokens > TOKENS.most) return [{ code: 'too_long', severity: Math.min(1, tokens / TOKENS.most - 1) || 0.1 }]
  if (tokens < TOKENS.least) return [{ code: 'too_short', severity: 1 - tokens / TOKENS.least }]
  return []
}

function faultsOfContent(text: string, request: ContextRequest): Finding[] {
  const faults: Finding[] = []
  const source = sourceTerms(request)
  const [ofContext, ofChunk, named] = [keyTerms(text), keyTerms(request.chunk.text), namingTerms(request.chunk.text)]
  const shares = (terms: ReadonlySet<string>) => [...ofContext].filter(term => terms.has(term)).length
  if (named.size > 0 && shares(named) === 0) faults.push({ code: 'shares_nothing', severity: 1 })
  const added = [...ofContext].filter(term => !ofChunk.has(term) && source.has(term)).length
  const addable = Math.min(FEWEST_ADDED, addableTerms(request, ofChunk))
  if (added < addable) faults.push({ code: 'adds_nothing', severity: 1 - added / (addable + 1) })
  const invented = inventedTerms(text, source).length
  if (invented > 0) faults.push({ code: 'invented', severity: Math.min(1, invented / MANY_INVENTED) })
  if (isOtherLanguage(text, request)) faults.push({ code: 'other_language', severity: 1 })
  return faults
}

/** How many terms of the document the chunk lacks, counted up to a few. */
function addableTerms({ document, chunk }: ContextRequest, ofChunk: ReadonlySet<string>): number {
  const path = keyTerms(`${document.title} ${chunk.sectionPath}`)
  const ofPath = [...path].filter(term => !ofChunk.has(term)).length
  return ofPath >= FEWEST_ADDED || document.text.length > 2 * chunk.text.length ? FEWEST_ADDED : ofPath
}

/** Unknown languages are no fault. A chunk in another language than its document allows both. */
function isOtherLanguage(text: string, { document, chunk }: ContextRequest): boolean {
  const namedLanguageOf = (text: string) => (languageOf(text) === OTHER_LATIN ? null : languageOf(text))
  const written = namedLanguageOf(text)
  const ofDocument = namedLanguageOf(document.text) ?? document.lang?.split(/[-_]/u)[0]?.toLowerCase() ?? null
  return written !== null && ofDocument !== null && written !== ofDocument && written !== languageOf(chunk.text)
}

const FUNCTION_STEMS: ReadonlySet<string> = new Set([...ALL_FUNCTION_WORDS].map(englishStem))
const HAS_LETTER = /\p{L}/u
const LETTERS_AND_DIGITS = /[\p{L}\p{N}\p{M}]+/gu

/** Distinct stems of a text without function words of any language; numbers are among them. */
function keyTerms(text: string): Set<string> {
  return new Set(terms(text).filter(term => !FUNCTION_STEMS.has(term)))
}

/** Key terms of a chunk that a context can be expected to repeat: without numbers. */
function namingTerms(text: string): Set<string> {
  return new Set([...keyTerms(text)].filter(term => HAS_LETTER.test(term)))
}

const documentTerms = rememberedByObject(({ title, text }: ContextDocument) => keyTerms(`${title}\n${text}`))

/** Key terms of what a model reads: title, section path and document. */
function sourceTerms({ document, chunk }: ContextRequest): { has(term: string): boolean } {
  const ofDocument = documentTerms(document)
  const ofChunk = keyTerms(`${chunk.sectionPath}\n${chunk.text}`)
  return { has: term => ofDocument.has(term) || ofChunk.has(term) }
}

/** A capital letter after a lower-case word and a space: within a sentence, so not because a sentence begins there. */
const CAPITALISED = /(?<=[\p{Ll}\p{N}],? )\p{Lu}[\p{L}\p{N}]*/gu
const LOWER_CASE = /(?<=[\p{Ll}\p{N}],? )\p{Ll}[\p{L}\p{N}]*/gu
const NUMBER = /\p{N}[\p{N}.,]*/gu
/** In languages such as German each noun has a capital letter, so they say nothing of names there. */
const MOST_CAPITALISED = 0.2

/** Names and numbers of a context that its source does not have. Numbers below ten are often counted from the text. */
function inventedTerms(context: string, source: { has(term: string): boolean }): string[] {
  const capitalised = context.match(CAPITALISED) ?? []
  const lower = context.match(LOWER_CASE)?.length ?? 0
  const names = capitalised.length / Math.max(1, capitalised.length + lower) <= MOST_CAPITALISED ? capitalised : []
  const numbers = (context.match(NUMBER) ?? []).filter(number => /\p{N}{2}/u.test(number))
  return [...new Set([...names, ...numbers])].filter(word =>
    [...word.matchAll(LETTERS_AND_DIGITS)].some(([part]) => [...keyTerms(part)].some(term => !source.has(term))),
  )
}
