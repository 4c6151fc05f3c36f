import { useId, useState } from 'preact/hooks'
import { counted } from '../../../text/printable.ts'
import { Select } from '../../../web/page/controls.tsx'
import { useOpenRows } from '../../../web/page/open-rows.tsx'
import type { Marks } from '../model/marks.ts'
import type { Row, Run } from '../model/run.ts'
import { CandidateRow } from './candidate-row.tsx'

interface SortColumn {
  id: string
  title: string
  numeric: boolean
  value: (row: Row) => number | string
  /** The order of the first click. */
  first: 'ascending' | 'descending'
}

const figure = (id: string, title: string, value: (row: Row) => number | null): SortColumn => ({
  id,
  title,
  numeric: true,
  value: row => value(row) ?? Number.NEGATIVE_INFINITY,
  first: 'descending',
})

const COLUMNS: readonly SortColumn[] = [
  { id: 'rank', title: '#', numeric: true, value: ({ rank }) => rank, first: 'ascending' },
  { id: 'name', title: 'Passage', numeric: false, value: ({ name }) => name, first: 'ascending' },
  { id: 'decision', title: 'Decision', numeric: false, value: decisionOf, first: 'ascending' },
  figure('fused', 'Fused', ({ candidate }) => candidate.fused),
  figure('rerank', 'Rerank', ({ candidate }) => candidate.rerank),
  figure('bonus', 'Bonus', ({ candidate }) => candidate.answerability.bonus),
  figure('final', 'Value', ({ candidate }) => candidate.final),
  figure('tokens', 'Tokens', ({ candidate }) => candidate.tokens),
]

function decisionOf({ candidate: { reason, position } }: Row): string {
  return reason ?? ` ${String(position).padStart(6, '0')}`
}

/** The table of candidates, sorted and filtered. */
export function Candidates({ run, marks }: { run: Run; marks: Marks }) {
  const { rows } = run
  const id = useId()
  const [which, setWhich] = useState('')
  const [text, setText] = useState('')
  const [sort, setSort] = useState({ id: 'rank', down: false })
  const { open, toggle } = useOpenRows<string>()
  if (rows.length === 0) return <p class="empty">There is no candidate: the searches found nothing.</p>
  const reasons = [...new Set(rows.flatMap(({ candidate }) => candidate.reason ?? []))].sort()
  const column = COLUMNS.find(({ id }) => id === sort.id)
  const shown = sorted(
    rows.filter(row => passes(row, which, text)),
    column,
    sort.down,
  )
  const sortBy = ({ id, first }: SortColumn) =>
    setSort(before => ({ id, down: before.id === id ? !before.down : first === 'descending' }))
  return (
    <>
      <div class="controls">
        <Select
          label="Show"
          value={which}
          options={[
            ['', 'all'],
            ['packed', 'packed'],
            ['dropped', 'dropped'],
            ...reasons.map(reason => [reason, `dropped: ${reason}`] as const),
          ]}
          onChange={setWhich}
        />
        <span class="control">
          <label for={id}>Contains</label>
          <input id={id} type="search" value={text} onInput={event => setText(event.currentTarget.value)} />
        </span>
      </div>
      <p class="count" role="status">
        {counted(shown.length, 'candidate')} of {rows.length}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section class="scroll candidates" aria-label="Candidates" tabIndex={0}>
        <table>
          <caption class="hidden">Candidates of {run.title}</caption>
          <thead>
            <tr>
              {COLUMNS.map(one => {
                const isSorted = one.id === sort.id
                return (
                  <th
                    key={one.id}
                    scope="col"
                    class={one.numeric ? 'number' : undefined}
                    aria-sort={isSorted ? (sort.down ? 'descending' : 'ascending') : undefined}
                  >
                    <button type="button" class="sorter" onClick={() => sortBy(one)}>
                      {one.title}
                      <span aria-hidden="true">{isSorted ? (sort.down ? ' ▾' : ' ▴') : ''}</span>
                    </button>
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map(row => (
              <CandidateRow
                key={row.key}
                row={row}
                marks={marks}
                columns={COLUMNS.length}
                isOpen={open.has(row.key)}
                onToggle={() => toggle(row.key)}
              />
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

function passes({ candidate, name, text }: Row, which: string, wanted: string): boolean {
  if (which !== '' && which !== candidate.decision && which !== candidate.reason) return false
  const low = wanted.trim().toLowerCase()
  return low === '' || `${name}\n${candidate.doc_id}\n${candidate.id}\n${text ?? ''}`.toLowerCase().includes(low)
}

function sorted(rows: readonly Row[], column: SortColumn | undefined, down: boolean): Row[] {
  if (column === undefined) return [...rows]
  const compare = (left: number | string, right: number | string) => (left < right ? -1 : left > right ? 1 : 0)
  return [...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (down ? -1 : 1) || a.rank - b.rank)
}
