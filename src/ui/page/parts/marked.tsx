import type { ComponentChildren } from 'preact'
import type { Marks } from '../model/marks.ts'

/** A text of a document, as text, with what the marks find in it. */
export function Marked({ text, marks }: { text: string; marks: Marks }) {
  const pieces: ComponentChildren[] = []
  let from = 0
  for (const { start, end } of marks.rangesIn(text)) {
    pieces.push(text.slice(from, start), <mark key={start}>{text.slice(start, end)}</mark>)
    from = end
  }
  return <>{[...pieces, text.slice(from)]}</>
}
