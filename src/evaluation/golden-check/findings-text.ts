import { groupBy } from '../../core/collections.ts'
import { terminalText } from '../../text/printable.ts'
import { GOLDEN_FINDINGS } from '../golden-set/golden-findings.ts'
import type { Finding } from './finding.ts'

/** Findings of one code that are shown; the others are counted. */
const SHOWN_FINDINGS = 20

/** A table of the findings, with what to do about each kind. @param sets names of the sets, with their numbers of queries */
export function findingsText(findings: readonly Finding[], sets: readonly { name: string; queries: number }[]): string {
  const read = sets.map(({ name, queries }) => `${name}: ${queries} ${queries === 1 ? 'query' : 'queries'}`).join(', ')
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const count = `${errorsText(errors)}, ${findings.length - errors} ${findings.length - errors === 1 ? 'warning' : 'warnings'}`
  const groups = [...groupBy(findings, ({ code, severity }) => `${severity} ${code}`).values()]
  groups.sort((left, right) => (left[0]?.severity ?? '').localeCompare(right[0]?.severity ?? '', 'en'))
  return [`${read}\n`, ...groups.map(group => groupText(group, sets.length > 1)), `${count}\n`].join('\n')
}

export function errorsText(errors: number): string {
  return `${errors} ${errors === 1 ? 'error' : 'errors'}`
}

function groupText(group: readonly Finding[], withSet: boolean): string {
  const [first] = group
  if (!first) return ''
  const { meaning, advice } = GOLDEN_FINDINGS[first.code]
  const shown = group
    .slice(0, SHOWN_FINDINGS)
    .map(({ set, place, text }) => [withSet ? `${set} ${place}` : place, text] as const)
  const width = Math.max(...shown.map(([place]) => place.length))
  const rows = shown.map(([place, text]) => `  ${place.padEnd(width)}  ${terminalText(text)}\n`)
  const more = group.length > SHOWN_FINDINGS ? `  … and ${group.length - SHOWN_FINDINGS} more (--json has all)\n` : ''
  return `${first.severity} ${first.code} (${group.length}): ${meaning}\n  → ${advice}\n${rows.join('')}${more}`
}
