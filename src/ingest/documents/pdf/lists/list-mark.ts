interface ListMark {
  /** `-` or the number with its point. */
  mark: string
  /** Length of the mark and the space after it in the text of the line. */
  length: number
}

const BULLET = /^([•◦▪‣●○■□➢➤✓✔∙⁃·*\uE000-\uF8FF]|[–—-](?=\s))\s*(?=\S)/
const NUMBER = /^(?:\((\d{1,3}|[a-z]|[ivx]{1,4})\)|(\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+(?=\S)/

/** The mark of a list at the start of a text; null without one. */
export function listMark(text: string): ListMark | null {
  const bullet = BULLET.exec(text)
  if (bullet) return { mark: '-', length: bullet[0].length }
  const number = NUMBER.exec(text)
  const value = number?.[1] ?? number?.[2]
  if (!number || value === undefined) return null
  return { mark: /^\d+$/.test(value) ? `${value}.` : '-', length: /^\d+$/.test(value) ? number[0].length : 0 }
}
