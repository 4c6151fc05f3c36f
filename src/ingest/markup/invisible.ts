/** Marks of places where a word may or may not be parted: soft hyphen, word joiner and byte order mark. */
const IN_WORDS = /[\u00AD\u2060\uFEFF]/gu
/** Scripts without spaces part words by this space of no width. Elsewhere it is such a mark too, as in long names. */
const NO_WIDTH = /(?<![\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}])\u200B/gu

/** A text without the signs that nobody sees: a word with one inside is not found. Joiners stay, because they change letters and pictures. */
export function withoutInvisible(text: string): string {
  return text.replace(IN_WORDS, '').replace(NO_WIDTH, '')
}
