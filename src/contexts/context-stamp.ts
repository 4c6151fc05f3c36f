import { contentHash } from '../text/fingerprint.ts'
import type { ChunkContext } from './context.ts'

/** What a context was written for, beside its document. */
type StampedChunk = { docTitle: string; sectionPath: string; text: string }

/** Failures of a model that pass. A text that it cannot answer well is no such failure: asking again would only cost more. */
export const PASSING_FAILURES: readonly string[] = ['rate_limited', 'endpoint_failed', 'timeout']

/** The version of a context that the rules wrote because the model could not be reached. It is of no writer, so the next run asks again. */
export const POSTPONED_VERSION = 'postponed'

/** Whether the next run is to ask the model for a context. */
export const isPostponed = ({ fallback }: ChunkContext): boolean => PASSING_FAILURES.includes(fallback ?? '')

/** The version under which a context is stored. */
export function storedVersion(context: ChunkContext, writerVersion: string): string {
  return isPostponed(context) ? POSTPONED_VERSION : writerVersion
}

/**
 * The value of `context_version`: the version of the writer and a hash of the chunk. A stored point is up to date when its value is the one
 * that its text gives now, so the collection itself says what is left to do.
 */
export function contextStamp(writerVersion: string, chunk: StampedChunk): string {
  return `${writerVersion}:${chunkHash(chunk)}`
}

/** Whether a stored stamp is of this version of a writer, for whatever text. */
export function isOfVersion(stamp: string | null, writerVersion: string): boolean {
  return stamp?.startsWith(`${writerVersion}:`) ?? false
}

/** A hash of all that both encoders see of a chunk but its context; 16 hexadecimal digits. */
export function chunkHash({ docTitle, sectionPath, text }: StampedChunk): string {
  return contentHash(JSON.stringify([docTitle, sectionPath, text])).slice(0, 16)
}
