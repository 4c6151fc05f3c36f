import { contentHash } from '../text/fingerprint.ts'

/** What a context was written for, beside its document. */
type StampedChunk = { docTitle: string; sectionPath: string; text: string }

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
