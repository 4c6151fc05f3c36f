import { availableParallelism, cpus, loadavg } from 'node:os'
import Table from 'cli-table3'
import type { Measured } from './side-by-side.ts'

/** What one section of the bench found. */
export interface BenchSection {
  name: string
  title: string
  /** What was done, how, and how to read it. */
  notes: string[]
  tables: { title: string; rows: Measured[] }[]
}

/** The machine under the figures. */
export function machine() {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg().map(load => Math.round(load * 10) / 10),
  }
}

/** A section as text: a table per comparison, ratios beside the medians, notes below. */
export function sectionText({ name, title, notes, tables }: BenchSection): string {
  const shown = tables.map(table => `${table.title}\n${tableText(table.rows)}`)
  return [`== ${name}: ${title}`, ...shown, ...notes.map(note => `· ${note}`)].join('\n')
}

/** Contenders as rows, figures as columns, ratios to the first row beside them. */
export function tableText(rows: readonly Measured[]): string {
  const names = [...new Set(rows.flatMap(({ medians }) => Object.keys(medians)))]
  const table = new Table({ head: ['', ...names, 'rounds'], style: { head: [], border: [], compact: true } })
  for (const { label, medians, ratios, rounds } of rows) {
    const cells = names.map(name => cell(medians[name], ratios?.[name]))
    table.push([label, ...cells, String(rounds.length)])
  }
  return table.toString()
}

function cell(median: number | undefined, ratio: number | undefined): string {
  if (median === undefined) return '-'
  return ratio === undefined ? number(median) : `${number(median)} (×${number(ratio)})`
}

/** A table without ratios. */
export function plainTable(head: string[], rows: string[][]): string {
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  table.push(...rows)
  return table.toString()
}

/** Reads `1,8,64` from the command line. */
export function listOption(text: string): number[] {
  return text.split(',').map(Number)
}

/** Three significant digits below a thousand, whole numbers with separators above. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
