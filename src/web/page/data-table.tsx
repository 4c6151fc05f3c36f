import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ComponentChildren
  /** What the file of the table holds; default: the cell, when it is text. */
  value?: (row: Row) => string | number | null
  numeric?: boolean
  className?: string
}

interface DataTableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  rowClass?: (row: Row) => string | undefined
  /** Name of the file; without it the table cannot be saved. */
  file?: string
  empty?: string
}

/** A table whose first column names its rows. */
export function DataTable<Row>({ caption, columns, rows, keyOf, rowClass, file, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{empty ?? 'Nothing to show.'}</p>
  return (
    <div class="table-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section class="scroll" aria-label={caption} tabIndex={0}>
        <table>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ title, numeric }) => (
                <th key={title} scope="col" class={numeric ? 'number' : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={keyOf(row)} class={rowClass?.(row)}>
                {columns.map(({ title, cell, numeric, className }, index) => {
                  const classes = [numeric ? 'number' : '', className ?? ''].join(' ').trim() || undefined
                  return index === 0 ? (
                    <th key={title} scope="row" class={classes}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={title} class={classes}>
                      {cell(row)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {file && (
        <button
          type="button"
          class="quiet no-print"
          onClick={() => save(`${file}.csv`, 'text/csv', csvOf(columns, rows))}
        >
          Save as CSV<span class="hidden">: {caption}</span>
        </button>
      )}
    </div>
  )
}

/** Saves a file from the page. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = rows.map(row =>
    columns.map(({ cell, value }) => {
      if (value) return value(row)
      const content = cell(row)
      return typeof content === 'string' || typeof content === 'number' ? content : null
    }),
  )
  return [columns.map(({ title }) => title), ...lines].map(line => `${line.map(field).join(',')}\r\n`).join('')
}

/** A field of RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe before it. */
function field(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/u.test(value) ? `'${value}` : value
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
