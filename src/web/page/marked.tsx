import type { ComponentChildren } from 'preact'

interface MarkedProps {
  text: string
  /** In rising order, in UTF-16 code units. */
  ranges: readonly { start: number; end: number }[]
}

/** A text of a document, as text, with some ranges marked. */
export function Marked({ text, ranges }: MarkedProps) {
  const pieces: ComponentChildren[] = []
  let from = 0
  for (const { start, end } of ranges) {
    pieces.push(text.slice(from, start), <mark key={start}>{text.slice(start, end)}</mark>)
    from = end
  }
  return <>{[...pieces, text.slice(from)]}</>
}
