import type { Pool } from 'undici'
import type { ContextResponse } from '../../src/pipeline/context-request.ts'

/** The questions themselves, then two of them joined: no cache has the answer, and other passages are found. */
export function differentQuestions(questions: readonly string[]): (at: number) => string {
  const { length } = questions
  return at => {
    const [first, round] = [at % length, Math.floor(at / length)]
    return round === 0 ? `${questions[first]}` : `${questions[first]} ${questions[(first + round) % length]}`
  }
}

/** Asks for a context, with the trace where it is wanted. @throws Error when it is refused */
export async function ask(client: Pool, collection: string, query: string, trace = false): Promise<ContextResponse> {
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/v1/context',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, collection, trace }),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`/v1/context answered ${statusCode}: ${text}`)
  return JSON.parse(text)
}
