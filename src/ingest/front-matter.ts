/** YAML front matter at the start of a text, with the line end behind it; the first group is what stands between the rules. */
export const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/
