/** The beginning of a paragraph or of an item of a list: code, or words in bold. */
const MARKED_NAME = /^[^\S\n]*(?:[-*+][^\S\n]{1,4})?(`{1,2}|\*\*)([^`*\n]{1,80})\1/u

/** The name in code or in bold that a text begins with, behind the sign of an item: "- `port`: where it listens". */
export function markedName(text: string): string | undefined {
  return MARKED_NAME.exec(text)?.[2]
}
