/** A sentence in which backticks mark code, as the vocabulary writes it. */
export function Sentence({ text }: { text: string }) {
  return (
    <>
      {text.split('`').map((piece, index) => {
        const key = `${index} ${piece}`
        return index % 2 === 0 ? <span key={key}>{piece}</span> : <code key={key}>{piece}</code>
      })}
    </>
  )
}
