import { StowageError } from '../../core/errors.ts'
import type { GoldenFinding } from './golden-findings.ts'

/** What is wrong with a golden set, at one place of it. */
export interface GoldenFault {
  code: GoldenFinding
  /** `queries.jsonl:12`. */
  place: string
  /** Field, reason and value. */
  text: string
}

const SHOWN_FAULTS = 20

/** The error of a set that cannot be used: its first 20 faults in the message, all of them in `details`. */
export function faultyError(path: string, faults: readonly GoldenFault[]): StowageError {
  const lines = faults.map(({ place, text }) => `${place}: ${text}`)
  const more = lines.length > SHOWN_FAULTS ? `\n  … and ${lines.length - SHOWN_FAULTS} more` : ''
  const list = lines.slice(0, SHOWN_FAULTS).join('\n  ')
  return new StowageError('bad_request', `golden set ${path}: ${lines.length} fault(s)\n  ${list}${more}`, {
    details: lines,
  })
}
