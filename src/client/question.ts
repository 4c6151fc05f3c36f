import { AsyncLocalStorage } from 'node:async_hooks'

/** What the requests inside of `withQuestion` say beside the question. */
export interface QuestionOptions {
  /** Id of the client's session, 1 to 200 printable ASCII characters; another value is not sent. */
  sessionId?: string | undefined
}

/** Common proxies refuse a longer line: nginx and Apache take 8 kB of it, Node takes 16 kB of all headers together. */
const LONGEST_HEADER = 8_000

const current = new AsyncLocalStorage<Readonly<Record<string, string>>>()

/**
 * Runs a search. Every request of a prepared client or fetch that begins inside says what the question is. Inner calls hide outer ones,
 * and calls at the same time do not see each other.
 * @param question its beginning is sent when it is very long; null, or only white space: no question
 * @returns what `search` returns
 */
export function withQuestion<Result>(
  question: string | null,
  search: () => Result,
  { sessionId }: QuestionOptions = {},
): Result {
  const encoded = encodeQuestion(question ?? '')
  const headers = {
    ...(encoded !== '' && { 'x-stowage-query': encoded }),
    ...(isSendable(sessionId) && { 'x-stowage-session': sessionId }),
  }
  return current.run(headers, search)
}

/** The headers of the question that is asked now, for HTTP clients that take headers for each request; `{}` outside of `withQuestion`. */
export function questionHeaders(): Record<string, string> {
  return { ...current.getStore() }
}

/** Percent-encoded UTF-8 of at most {@link LONGEST_HEADER} characters. A cut never divides a character. */
function encodeQuestion(question: string): string {
  let encoded = ''
  for (const character of question.trim()) {
    const next = encodeURIComponent(character.toWellFormed())
    if (encoded.length + next.length > LONGEST_HEADER) break
    encoded += next
  }
  return encoded
}

function isSendable(sessionId: string | undefined): sessionId is string {
  return sessionId !== undefined && /^[!-~](?:[ -~]{0,198}[!-~])?$/u.test(sessionId)
}
