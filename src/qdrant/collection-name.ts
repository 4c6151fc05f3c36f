/** Longest name of a collection, in UTF-16 code units; Qdrant counts bytes of UTF-8, so its own limit can be lower. */
export const LONGEST_COLLECTION_NAME = 255

/** Qdrant refuses these in names of collections. It refuses `*`, too, which is left out because patterns of names have it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Qdrant refuses
export const NEVER_IN_COLLECTION_NAMES = /[<>:"/\\|?\u0000\u001f]/u

/**
 * Whether a text can be a part of a path of Qdrant and lead to no other path, also behind a proxy that decodes `%2F`. `.` and `..` and a
 * slash could, and half of a surrogate pair cannot be encoded.
 */
export function isPathPart(name: string): boolean {
  return !/[/\\]|^\.{1,2}$/u.test(name) && name.isWellFormed()
}

/** Whether Qdrant can have a collection of this name. */
export function canBeCollection(name: string): boolean {
  return isPathPart(name) && !NEVER_IN_COLLECTION_NAMES.test(name)
}
