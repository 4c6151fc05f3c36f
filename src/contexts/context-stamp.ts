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

/** Stands before the version of a context that the vectors of its point do not see. */
const ONLY_PAYLOAD = 'only-payload:'
export const onlyPayload = (version: string): string => ONLY_PAYLOAD + version
export const isOnlyPayload = (versionOrStamp: string): boolean => versionOrStamp.startsWith(ONLY_PAYLOAD)

/** The version of the text of a context, whatever the vectors see. */
export const textVersion = (version: string): string => version.replace(ONLY_PAYLOAD, '')

/** The version under which a context is stored. */
export function storedVersion(context: ChunkContext, writerVersion: string): string {
  if (!isPostponed(context)) return writerVersion
  return isOnlyPayload(writerVersion) ? onlyPayload(POSTPONED_VERSION) : POSTPONED_VERSION
}

/** Whether a stored stamp is of this version and chunk. Vectors may see a context that only the payload needs. */
export function isStampOf(stamp: unknown, version: string, chunk: StampedChunk): boolean {
  return stamp === contextStamp(version, chunk) || stamp === contextStamp(textVersion(version), chunk)
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
