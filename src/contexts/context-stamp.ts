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

/** Stands before the version of a context that the vectors of its point do not see: they see none, or the one that it replaced. */
const ONLY_PAYLOAD = 'only-payload:'
const REPLACED = 'only-payload-replaced:'
export const onlyPayload = (version: string): string => ONLY_PAYLOAD + version
export const isOnlyPayload = (versionOrStamp: string): boolean => /^only-payload(?:-replaced)?:/.test(versionOrStamp)
/** Whether the vectors of a point with this stamp see no context at all. */
export const isUnseen = (stamp: string): boolean => stamp.startsWith(ONLY_PAYLOAD)

/** The version of the text of a context, whatever the vectors see. */
export const textVersion = (version: string): string => version.replace(ONLY_PAYLOAD, '')

/**
 * The version under which a context is stored.
 * @param isPlain whether the vectors of its point saw no context before
 */
export function storedVersion(context: ChunkContext, writerVersion: string, isPlain = true): string {
  const version = isPostponed(context) ? POSTPONED_VERSION : textVersion(writerVersion)
  if (!isOnlyPayload(writerVersion)) return version
  return (isPlain ? ONLY_PAYLOAD : REPLACED) + version
}

/** Whether a stored stamp is of this version and chunk. Vectors may see a context that only the payload needs. */
export function isStampOf(stamp: unknown, version: string, chunk: StampedChunk): boolean {
  const text = textVersion(version)
  const fitting = isOnlyPayload(version) ? [text, ONLY_PAYLOAD + text, REPLACED + text] : [version]
  return fitting.some(one => stamp === contextStamp(one, chunk))
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
