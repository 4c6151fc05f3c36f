/**
 * A store that several processes share. It keeps bytes for a limited time and may forget any of them earlier. Every method rejects when the
 * store cannot be asked; how long that may take is up to the caller.
 */
export interface SharedStore {
  /** The values of some keys, in their order; null for a key without a value. */
  getMany(keys: readonly string[]): Promise<(Uint8Array | null)[]>
  /** Stores values in place of those of before. */
  setMany(entries: readonly SharedEntry[]): Promise<void>
  /** Forgets values. A store that is full must still do this. */
  deleteMany(keys: readonly string[]): Promise<void>
  /**
   * Takes a token out of the bucket of a key. A bucket that is not known is full, and one whose rate changed keeps its tokens.
   * @returns 0 when there was a token, else the milliseconds until there will be one
   */
  takeToken(key: string, rate: TokenRate): Promise<number>
  close(): Promise<void>
}

export interface SharedEntry {
  /** At most `LONGEST_KEY` UTF-16 units. */
  key: string
  /** At most `LARGEST_VALUE` bytes. */
  value: Uint8Array
  /** Time to live in milliseconds, a whole number above 0. */
  ttlMs: number
}

/** A token bucket. Both numbers are above 0. */
export interface TokenRate {
  perSecond: number
  /** Tokens of a full bucket. */
  burst: number
}

/** In UTF-16 units. */
export const LONGEST_KEY = 512
/** In bytes. */
export const LARGEST_VALUE = 512 * 1024
