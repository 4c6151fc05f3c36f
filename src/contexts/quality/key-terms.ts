import { rememberedByObject } from '../../text/bounded-cache.ts'
import { ALL_FUNCTION_WORDS } from '../../text/language/function-words.ts'
import { englishStem } from '../../text/terms/english-stem.ts'
import { terms } from '../../text/terms/terms.ts'
import type { ContextDocument, ContextRequest } from '../context.ts'

const FUNCTION_STEMS: ReadonlySet<string> = new Set([...ALL_FUNCTION_WORDS].map(englishStem))
const HAS_LETTER = /\p{L}/u
const LETTERS_AND_DIGITS = /[\p{L}\p{N}\p{M}]+/gu

/** Distinct stems of a text without function words of any language; numbers are among them. */
export function keyTerms(text: string): Set<string> {
  return new Set(terms(text).filter(term => !FUNCTION_STEMS.has(term)))
}

/** Key terms of a chunk that a context can be expected to repeat: without numbers. */
export function namingTerms(text: string): Set<string> {
  return new Set([...keyTerms(text)].filter(term => HAS_LETTER.test(term)))
}

const documentTerms = rememberedByObject(({ title, text }: ContextDocument) => keyTerms(`${title}\n${text}`))

/** Key terms of what a model reads: title, section path and document. */
export function sourceTerms({ document, chunk }: ContextRequest): { has(term: string): boolean } {
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
export function inventedTerms(context: string, source: { has(term: string): boolean }): string[] {
  const capitalised = context.match(CAPITALISED) ?? []
  const lower = context.match(LOWER_CASE)?.length ?? 0
  const names = capitalised.length / Math.max(1, capitalised.length + lower) <= MOST_CAPITALISED ? capitalised : []
  const numbers = (context.match(NUMBER) ?? []).filter(number => /\p{N}{2}/u.test(number))
  return [...new Set([...names, ...numbers])].filter(word =>
    [...word.matchAll(LETTERS_AND_DIGITS)].some(([part]) => [...keyTerms(part)].some(term => !source.has(term))),
  )
}
