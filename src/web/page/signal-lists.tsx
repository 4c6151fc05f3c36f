interface ListSignal {
  source: string
  rank: number | null
  score: number | null
  weight: number | null
  contribution: number | null
}

/** What each list of the searches says of one candidate. */
export function SignalLists({ lists }: { lists: readonly ListSignal[] }) {
  if (lists.length === 0) return <p class="empty">No list of the searches holds this candidate.</p>
  return (
    <table>
      <caption>Lists of the searches</caption>
      <thead>
        <tr>
          <th scope="col">List</th>
          {['Rank', 'Score', 'Weight', 'Contribution'].map(title => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lists.map(list => (
          <tr key={list.source}>
            <th scope="row">{list.source}</th>
            <td class="number">{list.rank ?? '–'}</td>
            <td class="number">{score(list.score)}</td>
            <td class="number">{score(list.weight)}</td>
            <td class="number">{score(list.contribution)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Three significant digits, or a dash. */
export function score(value: number | null): string {
  return value === null ? '–' : String(Number(value.toPrecision(3)))
}
