import type { HeldAnswer } from '../http/passthrough/passthrough.ts'
import type { Improving } from './improving.ts'
import { NotImproved } from './not-improved.ts'
import type { ImprovedAnswer } from './response.ts'

/** How an attempt ended. */
export interface Outcome {
  result: ImprovedAnswer | NotImproved
  /** The answer to the client's own request, to be released when the result is not an improved answer; null when not sent. */
  original: HeldAnswer | null
  /** Whether the client's own request was sent beside the attempt. */
  hedged: boolean
}

/**
 * Waits for the improved answer. When that is overdue, the client's own request is sent beside it and the first good answer wins; the
 * other one is dropped. An answer of the original that is not 2xx waits until improving has failed, too, or until the deadline.
 * @param sendOriginal sends the client's own request and keeps the answer back
 */
export async function firstGoodAnswer(improving: Improving, sendOriginal: () => HeldAnswer): Promise<Outcome> {
  const improved = improving.answer.catch(asNotImproved)
  const first = await Promise.race([improved, improving.overdue])
  if (typeof first !== 'string') return { result: first, original: null, hedged: false }
  const original = sendOriginal()
  const result = await Promise.race([improved, usableAnswer(original, improving)])
  if (result === 'original') {
    improving.stop()
    const detail = first === 'hedged' ? 'Qdrant was slow' : 'while choosing points'
    return { result: new NotImproved(first, detail), original, hedged: true }
  }
  if (result instanceof NotImproved) return { result, original, hedged: true }
  original.abort()
  return { result, original: null, hedged: true }
}

/** Resolves when the original has a good answer, or any answer after the deadline. */
async function usableAnswer(original: HeldAnswer, { lapsed }: Improving): Promise<'original'> {
  const status = await original.status
  if (status === null || status >= 300) await lapsed
  return 'original'
}

/** Every other error is a fault of stowage. */
export function asNotImproved(error: unknown): NotImproved {
  return error instanceof NotImproved ? error : new NotImproved('pipeline_failed', String(error), { cause: error })
}
